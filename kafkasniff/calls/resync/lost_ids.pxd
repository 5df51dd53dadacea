cimport cython

@cython.final
cdef class LostIds:
    cdef bint _losing
    cdef object _first, _last
    cdef dict _lost

    cpdef add(self, object correlation_id)
