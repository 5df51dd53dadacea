cimport cython
@cython.final
cdef class Arrival:
    cdef readonly long long time
    cdef readonly long long packet
    cdef readonly object interface
