# What other compiled modules use of records.py.

cimport cython
from kafkasniff.protocol.bodies.text_buffer cimport TextBuffer, kafkasniff_add, kafkasniff_number

cdef class RecordsWriter:
    cdef TextBuffer out
    cdef bytes content
    cdef const unsigned char* view
    cdef Py_ssize_t p
    cdef Py_ssize_t end
    cdef long long most
    cdef bint is_unusual

    @cython.final
    cdef bint write(
        self, bytes content, long long count, long long base_offset, long long base_timestamp, bint is_appended,
        long long max_timestamp, long long most,
    ) except -1
    @cython.final
    @cython.locals(place="unsigned char*", to="unsigned char*")
    cdef bint write_record(
        self, long long base_offset, long long base_timestamp, bint is_appended, long long max_timestamp
    ) except -1
    @cython.final
    cdef int write_headers(self) except -1
    @cython.final
    cdef int write_bytes(self, bytes text_key, bytes base64_key) except -1
    @cython.final
    cdef long long schema_id(self, Py_ssize_t at, Py_ssize_t behind) except -1
    @cython.final
    cdef long long number(self, long long largest) except? -1
