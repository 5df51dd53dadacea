cimport cython

@cython.final
cdef class LostIds:
    cdef bint _losing
    cdef object _first
    cdef long long _last
    cdef dict _lost

    cpdef add(self, long long correlation_id)
