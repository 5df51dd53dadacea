cimport cython

@cython.final
cdef class RecordWalker:
    cdef bint _big_endian, _lengths_swapped
    cdef Py_ssize_t _header_length
    cdef long long _fraction_ns, _captured_limit

    @cython.locals(
        view="const unsigned char*", size=Py_ssize_t, header_length=Py_ssize_t, seconds="long long",
        fraction="long long", captured="long long", original="long long", offset=Py_ssize_t,
        offsets="long long[::1]", captureds="long long[::1]", originals="long long[::1]", times="long long[::1]",
        need=Py_ssize_t, count=Py_ssize_t, most=Py_ssize_t,
    )
    cpdef tuple walk(self, bytes data, Py_ssize_t position, columns)

@cython.locals(value="long long")
cdef long long _little(const unsigned char* view, Py_ssize_t at) noexcept
@cython.locals(value="long long")
cdef long long _big(const unsigned char* view, Py_ssize_t at) noexcept
