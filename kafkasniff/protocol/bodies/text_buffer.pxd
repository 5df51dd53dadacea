# What other compiled modules use of text_buffer.py.

cimport cython
from libc.string cimport memcpy

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>

    /* The numbers from 00 to 99: two digits are written at once. */
    static const char kafkasniff_pairs[] =
        "0001020304050607080910111213141516171819"
        "2021222324252627282930313233343536373839"
        "4041424344454647484950515253545556575859"
        "6061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";

    /* Writes the last digits of a number, zeros before it. */
    static inline void kafkasniff_padded(unsigned char *p, uint64_t value, int digits) {
        uint32_t low;
        for (; value > 0xFFFFFFFFu && digits > 1; value /= 100, digits -= 2)
            memcpy(p + digits - 2, kafkasniff_pairs + 2 * (value % 100), 2);
        for (low = (uint32_t)value; digits > 1; low /= 100, digits -= 2)
            memcpy(p + digits - 2, kafkasniff_pairs + 2 * (low % 100), 2);
        if (digits == 1) *p = (unsigned char)('0' + low % 10);
    }

    /* Writes a number below 10 ** 19; gives how many digits it has. */
    static inline int kafkasniff_digits(unsigned char *p, uint64_t value) {
        uint64_t bound;
        int digits = 1;
        if (value < 10) {
            *p = (unsigned char)('0' + value);
            return 1;
        }
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
