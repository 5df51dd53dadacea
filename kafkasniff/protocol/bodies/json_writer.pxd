# What other compiled modules use of json_writer.py.

from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport BOOL, FLOAT64, FieldTable
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer

cdef class JsonWriter(BodyReader):
    cdef public TextBuffer out
    cdef readonly list topic_ids
    cdef Py_ssize_t[::1] marks
    cdef dict tagged_texts
    cdef list tagged_starts

    cdef int write(self, FieldTable table) except -1
    cdef int key(self, FieldTable field, bint in_array) except -1
