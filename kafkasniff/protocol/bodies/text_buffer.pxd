# What other compiled modules use of text_buffer.py.

cimport cython
from libc.string cimport memcpy

@cython.final
cdef class TextBuffer:
    cdef bytearray store
    cdef unsigned char[::1] buffer
    cdef Py_ssize_t room
    cdef readonly Py_ssize_t size
    cdef public bint is_unsafe

    cdef int grow(self, Py_ssize_t more) except -1
    cdef int byte(self, int value) except -1
    cdef int add(self, bytes text) except -1
    @cython.locals(view="const unsigned char*")
    cdef int copy(self, bytes source, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int append(self, TextBuffer other) except -1
    cdef int key(self, bytes key) except -1
    cdef int member(self, bytes key, long long value) except -1
    cdef int number(self, long long value) except -1
    cdef int padded(self, long long value, int digits) except -1
    cdef int spaces(self, Py_ssize_t count) except -1
    cdef int json_string(self, bytes source, Py_ssize_t at, Py_ssize_t length) except -1
    @cython.locals(view="const unsigned char*")
    cdef bint shown_string(self, bytes source, Py_ssize_t at, Py_ssize_t length) except -1
    @cython.locals(view="const unsigned char*")
    cdef int write_string(self, bytes source, Py_ssize_t at, Py_ssize_t length, bint stops) except -1
    @cython.locals(view="const unsigned char*", letters="const unsigned char*")
    cdef int base64(self, bytes source, Py_ssize_t at, Py_ssize_t length, bint url_safe) except -1
    cdef int replace(self, Py_ssize_t start, Py_ssize_t end, bytes text) except -1
    cdef int last(self) except -1
    cdef int cut(self, Py_ssize_t size) except -1
    cdef bytes taken(self, Py_ssize_t start)

cdef int _check_part(bytes source, Py_ssize_t at, Py_ssize_t length) except -1
