cimport cython
from kafkasniff.tcp.events cimport Connection, DirectionCounters
from kafkasniff.tcp.memory cimport Memory

@cython.final
cdef class Stream:
    cdef public Connection connection
    cdef public int direction
    cdef public DirectionCounters counters
    cdef public Memory memory
    cdef public long long sequence, position, origin, acked, stood, buffered
    cdef public bint known, anchored, certain, finished
    cdef public object initial, fin, far_ack, hole
    cdef public object fin_arrival
    cdef public list pending, contradicted, strays, recent

    cpdef remember(self, event)
