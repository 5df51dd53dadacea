cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.tcp.events cimport Connection, DirectionCounters, StreamData
from kafkasniff.tcp.memory cimport Memory
from kafkasniff.tcp.state cimport ConnectionState
from kafkasniff.tcp.streams cimport Stream
from kafkasniff.tcp.timers cimport Timers

@cython.final
cdef class ConnectionTable:
    cdef public list events
    cdef object _limits, _counters
    cdef readonly Memory memory
    cdef readonly Timers timers
    cdef dict _states
    cdef long long _open
    cdef object _half_open
    cdef readonly object ended, holes

    @cython.locals(
        state=ConnectionState, stream=Stream, peer=Stream, connection=Connection, counters=DirectionCounters,
        event=StreamData, second=bint,
    )
    cpdef receive(
        self, key, long long sequence, long long acknowledgement, int flags, bytes data, long long length,
        Arrival arrival, tuple tunnel=*, tuple fragments=*,
    )
