cimport cython
@cython.final
cdef class Memory:
    cdef public object limits, counters
    cdef public long long buffered, arrived, most_remembered
    cdef public dict remembering

    cpdef arrive(self, long long size)
