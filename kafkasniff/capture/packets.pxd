cimport cython
@cython.final
cdef class Arrival:
    cdef readonly long long time
    cdef readonly long long packet
    cdef readonly object interface

@cython.locals(arrival=Arrival)
cpdef Arrival new_arrival(long long time, long long packet, interface)
