cimport cython

@cython.final
cdef class LostIds:
    cdef bint _losing
    cdef object _first
    cdef long long _last
    cdef dict _lost

    cpdef lose(self)
    cpdef may_have(self, long long correlation_id)
    cpdef add(self, long long correlation_id)
