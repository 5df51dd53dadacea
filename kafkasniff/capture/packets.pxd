cimport cython
@cython.final
@cython.no_gc
@cython.freelist(256)
cdef class Arrival:
    cdef readonly long long time
    cdef readonly long long packet
    cdef readonly object interface
