cimport cython
@cython.final
cdef class Timers:
    cdef readonly long long next
    cdef list _heap
    cdef long long _number
