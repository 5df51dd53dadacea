cimport cython
from kafkasniff.tcp.reassembly.state cimport ConnectionState

@cython.final
cdef class Timers:
    cdef readonly long long next
    cdef list _heap
    cdef long long _number

    cpdef set(self, time, ConnectionState state, long long connections)
    cpdef ConnectionState first(self)
    @cython.locals(state=ConnectionState, found=ConnectionState)
    cpdef ConnectionState take(self, long long now)
