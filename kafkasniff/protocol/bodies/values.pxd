# What other compiled modules use of values.py.

from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport BOOL, FLOAT64, STRING, FieldTable

cdef class ValueReader(BodyReader):
    cdef public dict value
    cdef public list malformed
    cdef dict into
    cdef list items
    cdef list around

    cdef int put(self, FieldTable field, bint in_array, Py_ssize_t start, object value) except -1
