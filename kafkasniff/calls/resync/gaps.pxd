cimport cython

@cython.final
cdef class Gaps:
    cdef list _open, _closed
    cdef readonly long long left_out

    cpdef lose(self, gap)
    cpdef follow(self, int direction)
    cpdef list take(self)
