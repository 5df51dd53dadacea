# What other compiled modules use of text_buffer.py.

cimport cython
from libc.string cimport memcpy

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>

    /* Writes the last digits of a number, zeros before it. */
    static inline void kafkasniff_padded(unsigned char *p, uint64_t value, int digits) {
        uint32_t low;
        for (; value > 0xFFFFFFFFu && digits > 0; value /= 10) p[--digits] = (unsigned char)('0' + value % 10);
        for (low = (uint32_t)value; digits > 0; low /= 10) p[--digits] = (unsigned char)('0' + low % 10);
    }

    /* Writes a number below 10 ** 19; gives how many digits it has. */
    static inline int kafkasniff_digits(unsigned char *p, uint64_t value) {
        uint64_t bound;
        int digits = 1;
        for (bound = 10; digits < 19 && value >= bound; bound *= 10) digits++;
        kafkasniff_padded(p, value, digits);
        return digits;
    }
    """
    int kafkasniff_digits(unsigned char *p, unsigned long long value)
    void kafkasniff_padded(unsigned char *p, unsigned long long value, int digits)

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
