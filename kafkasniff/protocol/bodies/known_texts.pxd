# What other compiled modules use of known_texts.py.

cimport cython
from kafkasniff.octets cimport is_at
from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport FieldTable

@cython.final
cdef class _Text:
    cdef bytes raw
    cdef str text

@cython.final
cdef class KnownTexts:
    cdef list _texts

    cdef str text_at(self, BodyReader reader, FieldTable field, Py_ssize_t at, Py_ssize_t length)
    cdef Py_ssize_t _slot_of(self, BodyReader reader, Py_ssize_t at, Py_ssize_t length) except -1
