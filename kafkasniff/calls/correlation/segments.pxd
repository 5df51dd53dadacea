cimport cython

@cython.final
cdef class LargestSegments:
    cdef readonly long long size, count

    cpdef note(self, long long size, long long count=*)
