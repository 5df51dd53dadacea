cimport cython

cdef extern from *:
    """
    #include <string.h>

    /* A big-endian number of four bytes; the caller has checked that they are there. */
    static inline long long kafkasniff_big32(const unsigned char *view, Py_ssize_t at) {
        const unsigned char *p = view + at;
        return (long long)p[0] << 24 | (long long)p[1] << 16 | (long long)p[2] << 8 | p[3];
    }
    /* Whether bytes are those wanted; the caller has checked that both are there. */
    static inline int kafkasniff_is_same(const unsigned char *view, Py_ssize_t at, const unsigned char *wanted, Py_ssize_t n) {
        return memcmp(view + at, wanted, (size_t)n) == 0;
    }
    """
    bint is_same "kafkasniff_is_same"(const unsigned char* view, Py_ssize_t at, const unsigned char* wanted, Py_ssize_t length) noexcept
    long long big32 "kafkasniff_big32"(const unsigned char* view, Py_ssize_t at) noexcept

@cython.locals(view="const char*")
cpdef bytes part(bytes data, Py_ssize_t start, Py_ssize_t end)
cpdef bint is_at(bytes data, Py_ssize_t at, bytes wanted, Py_ssize_t length) except -1
@cython.locals(view="const unsigned char*")
cpdef int unsigned16(bytes data, Py_ssize_t at) except -1
@cython.locals(view="const unsigned char*")
cpdef long long unsigned32(bytes data, Py_ssize_t at) except -1
cdef long long _TWO_31, _TWO_32
@cython.locals(view="const unsigned char*", value="long long")
cpdef long long signed32(bytes data, Py_ssize_t at) except? -1
