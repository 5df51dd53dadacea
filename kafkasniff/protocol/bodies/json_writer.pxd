# What other compiled modules use of json_writer.py.

cimport cython
from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport BOOL, FLOAT64, FieldTable, NumberRun
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer, kafkasniff_number

cdef extern from *:
    """
    /* Writes the numbers and bools of a `NumberRun`, as text of at most its room; gives the length of that text.

    Gives -1 where an error code is not zero. */
    static inline ptrdiff_t kafkasniff_numbers(
        unsigned char *start, const char *keys, const char *forms, ptrdiff_t forms_size, const unsigned char *from
    ) {
        unsigned char *to = start;
        const unsigned char *form = (const unsigned char *)forms, *end = form + forms_size;
        for (; form < end; form += 3) {
            int size = form[1] & 15;
            int64_t value = kafkasniff_number_at(from, size, !(form[1] & 16));
            kafkasniff_copy(to, keys, form[0]);
            to += form[0];
            keys += form[0];
            from += size;
            if (form[2] && value) return -1;
            if (form[1] & 32) {
                memcpy(to, value ? "true" : "false", 5);
                to += value ? 4 : 5;
            } else {
                to = kafkasniff_number(to, value);
            }
        }
        return to - start;
    }
    """
    Py_ssize_t kafkasniff_numbers(
        unsigned char *start, const char *keys, const char *forms, Py_ssize_t forms_size, const unsigned char *data
    )

cdef class JsonWriter(BodyReader):
    cdef public TextBuffer out
    cdef readonly list topic_ids
    cdef readonly list places
    cdef Py_ssize_t[::1] marks
    cdef dict tagged_texts
    cdef list tagged_starts
    cdef long long[::1] configs
    cdef dict secret_names
    cdef readonly bint names_internal_topic

    cdef int begin_next(self, bytes data, Py_ssize_t offset, long long most) except -1
    cdef int write(self, FieldTable table) except -1
    @cython.locals(to="unsigned char*", data="const unsigned char*", run=NumberRun)
    cdef int take_numbers(self, FieldTable first) except -1
    cdef int key(self, FieldTable field, bint in_array) except -1
    cdef int hide_config(self, FieldTable field) except -1
    cdef bint is_secret_name(self, bytes name) except -1
    cdef bint may_hold_secrets(self, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int note_text(self, FieldTable field, Py_ssize_t at, Py_ssize_t length, Py_ssize_t text_at) except -1
