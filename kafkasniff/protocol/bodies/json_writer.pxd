# What other compiled modules use of json_writer.py.

cimport cython
from kafkasniff.protocol.bodies.reader cimport BodyReader
from kafkasniff.protocol.bodies.tables cimport BOOL, FLOAT64, FieldTable
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer
from kafkasniff.protocol.bodies.walk cimport read_message

cdef class JsonWriter(BodyReader):
    cdef public TextBuffer out
    cdef readonly list topic_ids
    cdef readonly list places
    cdef Py_ssize_t[::1] marks
    cdef dict tagged_texts
    cdef list tagged_starts
    cdef long long[::1] configs
    cdef dict secret_names
    cdef readonly int names_internal_topic

    cdef int begin_next(self, bytes data, Py_ssize_t offset, long long most) except -1
    cdef int write(self, FieldTable table) except -1
    cdef int key(self, FieldTable field, bint in_array) except -1
    cdef int hide_config(self, FieldTable field) except -1
    cdef bint is_secret_name(self, bytes name) except -1
    cdef bint may_hold_secrets(self, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int note_text(self, FieldTable field, Py_ssize_t at, Py_ssize_t length, Py_ssize_t text_at) except -1
