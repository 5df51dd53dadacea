cimport cython

@cython.final
cdef class Memory:
    cdef readonly object limits, counters
    cdef public long long buffered
    cdef readonly long long arrived, most_remembered, most_buffered, reordering_packets
    cdef readonly dict remembering

    cpdef forget(self, long long size)
