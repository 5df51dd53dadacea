cimport cython
from kafkasniff.protocol.bodies.reader cimport BodyReader, kafkasniff_is_ascii
from kafkasniff.protocol.bodies.steps cimport (
    AFTER, ARRAY, BEGIN, CAN_BE_NULL, COMPACT, DEPTH, ELEMENT, END, ERROR, FIELD, FIXED, FORM, INTEGERS, IS_RECORDS,
    IS_STRING, MARK, NEXT, NUMBER, OP, RUN, SIGNED, SIZE, TAGGED, TAGS, TEXT, TOLD, WANTED, WIDTH, Steps,
)
from kafkasniff.protocol.bodies.tables cimport STRUCT, FieldTable
from kafkasniff.protocol.bodies.text_buffer cimport kafkasniff_number_at, kafkasniff_signed

cdef extern from *:
    """
    /* Gives a field of those of a message, at a place that is there. */
    static inline PyObject *kafkasniff_field(PyObject *fields, int place) {
        PyObject *field = PyTuple_GET_ITEM(fields, place);
        Py_INCREF(field);
        return field;
    }
    """
    FieldTable kafkasniff_field(tuple fields, int place)

cdef Steps steps_of(FieldTable table)
cdef int read_message(BodyReader reader, FieldTable table) except -1
@cython.locals(view="const unsigned char*", code="const int*", indices="long long*", counts="long long*", fields=tuple)
cdef int walk(BodyReader reader, Steps steps, Py_ssize_t step, Py_ssize_t stop) except -1
cdef int read_tags(BodyReader reader, Steps steps, FieldTable table) except -1
cdef int pass_tag(
    BodyReader reader, FieldTable table, str suffix, Py_ssize_t tag_at, long long tag, long long size
) except -1
cdef int read_tagged(BodyReader reader, Steps steps, FieldTable field) except -1
cdef bint read_marker(BodyReader reader, FieldTable field) except -1
