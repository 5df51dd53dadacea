cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.tcp.events cimport Connection, DirectionCounters

@cython.final
cdef class HalfOpen:
    cdef readonly object key
    cdef readonly tuple tunnel
    cdef readonly long long initial, packets
    cdef public long long zero_windows, mss
    cdef readonly Arrival first, last

    cpdef add(self, Arrival arrival)
    @cython.locals(connection=Connection, counters=DirectionCounters)
    cpdef Connection connection(self)
