cimport cython

@cython.final
cdef class LargestSegments:
    cdef readonly long long size, count, row
    cdef long long _run

    cpdef note(self, long long size)
