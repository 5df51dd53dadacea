cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.tcp.reassembly.ended cimport Ended, EndedConnections, remembered
from kafkasniff.tcp.events cimport Connection, ConnectionEnd
from kafkasniff.tcp.reassembly.flow_keys cimport canonical, endpoints
from kafkasniff.tcp.reassembly.half_open cimport HalfOpen
from kafkasniff.tcp.reassembly.memory cimport Memory
from kafkasniff.tcp.packets.segments cimport Segment
from kafkasniff.tcp.reassembly.sequence cimport NEVER
from kafkasniff.tcp.reassembly.state cimport ConnectionState
from kafkasniff.tcp.reassembly.streams cimport Stream
from kafkasniff.tcp.reassembly.timers cimport Timers

cdef int _SYN, _ACK
cdef long long _GOLDEN_RATIO
cdef Py_ssize_t _SLOTS, _MOST_SLOTS

@cython.final
cdef class ConnectionTable:
    cdef public list events
    cdef object _limits, _counters
    cdef readonly Memory memory
    cdef readonly Timers timers
    cdef dict states, replaced
    cdef list recent
    cdef long long open_count
    cdef object _half_open
    cdef readonly EndedConnections ended
    cdef readonly object holes

    cdef find(self, key)
    @cython.locals(mixed="long long")
    cdef Py_ssize_t slot(self, long long source, long long destination, long long ports) except -1
    @cython.locals(opened=HalfOpen)
    cdef bint take_syn(self, found, key, long long sequence, Arrival arrival, tuple tunnel) except -1
    cdef _add_half_open(self, key)
    @cython.locals(ended=Ended)
    cdef ConnectionState find_or_start(self, HalfOpen opened, Segment segment, Arrival arrival)
    @cython.locals(state=ConnectionState)
    cdef ConnectionState _hold_fully(self, HalfOpen opened)
    @cython.locals(connection=Connection, state=ConnectionState)
    cdef ConnectionState _start(self, Segment segment, long long epoch, Arrival arrival)
    @cython.locals(state=ConnectionState)
    cdef ConnectionState _hold(self, key, Connection connection)
    cdef complete(self, ConnectionState state)
    cdef ConnectionState replace(self, ConnectionState state, Segment segment, Arrival arrival)
    cdef end_replaced(self, name)
    @cython.locals(slot=Py_ssize_t)
    cdef _forget(self, ConnectionState state)
    cdef close_later(self, ConnectionState state, long long order, Arrival arrival)
    @cython.locals(connection=Connection, first=Stream, second=Stream)
    cdef end(self, ConnectionState state, str reason, Arrival arrival)
    @cython.locals(opened=HalfOpen, connection=Connection)
    cdef _end_quietly(self, found, str reason)
