# What other compiled modules use of values.py.

cimport cython
from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport BOOL, FLOAT64, STRING, FieldTable
from kafkasniff.protocol.bodies.walk cimport read_message

cdef class ValueTaker(BodyReader):
    cdef readonly Py_ssize_t longest
    cdef public list malformed

    cdef int put(self, FieldTable field, bint in_array, object value) except -1
    cpdef Py_ssize_t read(
        self, FieldTable table, bytes data, Py_ssize_t offset, long long most, bint is_partial
    ) except -1

cdef class ValueReader(ValueTaker):
    cdef public dict value
    cdef dict into
    cdef list items
    cdef list around
    cdef Py_ssize_t depth

    @cython.final
    cdef int enter(self, object around) except -1
    @cython.final
    cdef object leave(self)

cdef list _FREE

cpdef ValueReader borrow_reader()
cpdef int give_back(ValueReader reader) except -1
