cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport big32, part
from kafkasniff.tcp.reassembly.ended cimport Ended, EndedConnections, remembered
from kafkasniff.tcp.events cimport Connection, ConnectionEnd, DirectionCounters, Receiver
from kafkasniff.tcp.reassembly.flow_keys cimport canonical, endpoints, reverse
from kafkasniff.tcp.reassembly.half_open cimport HalfOpen
from kafkasniff.tcp.reassembly.holes cimport close_proven, look_for_hole
from kafkasniff.tcp.reassembly.memory cimport Memory
from kafkasniff.tcp.packets.segments cimport Segment
from kafkasniff.tcp.reassembly.sequence cimport FARTHEST, HALF, MASK, NEVER, distance
from kafkasniff.tcp.reassembly.state cimport ConnectionState, is_first
from kafkasniff.tcp.reassembly.streams cimport Stream
from kafkasniff.tcp.reassembly.timers cimport Timers

cdef int _FIN, _SYN, _RST, _ACK
cdef long long _FAST_OPEN_DATA, _GOLDEN_RATIO
cdef Py_ssize_t _SLOTS, _MOST_SLOTS

@cython.final
cdef class ConnectionTable:
    cdef public list events
    cdef Receiver _receiver
    cdef object _limits, _counters
    cdef readonly Memory memory
    cdef readonly Timers timers
    cdef dict _states, _replaced
    cdef list _recent
    cdef long long _open, _reordering
    cdef object _half_open
    cdef readonly EndedConnections ended
    cdef readonly object holes

    @cython.locals(second=bint)
    cpdef receive(
        self, key, long long sequence, long long acknowledgement, int flags, bytes data, Py_ssize_t start,
        Py_ssize_t captured, long long length, Arrival arrival, tuple tunnel=*, tuple fragments=*,
    )
    @cython.locals(
        source="long long", destination="long long", ports="long long", slot=Py_ssize_t, state=ConnectionState,
        second=bint, is_known=bint, sequence="long long", acknowledgement="long long",
    )
    cdef receive_ipv4(
        self, bytes data, const unsigned char* view, Py_ssize_t ip, int flags, Py_ssize_t payload, Py_ssize_t captured,
        long long length, Arrival arrival,
    )
    @cython.locals(mixed="long long")
    cdef Py_ssize_t _slot(self, long long source, long long destination, long long ports) except -1
    @cython.locals(stream=Stream, peer=Stream, connection=Connection, counters=DirectionCounters, payload=bytes)
    cdef bint _take_next(
        self, ConnectionState state, bint second, long long sequence, long long acknowledgement, int flags, bytes data,
        Py_ssize_t start, Py_ssize_t captured, long long length, Arrival arrival,
    ) except -1
    @cython.locals(memory=Memory)
    cdef int _count(self, long long captured) except -1
    @cython.locals(segment=Segment)
    cdef _take(
        self, found, key, long long sequence, long long acknowledgement, int flags, bytes data, Py_ssize_t start,
        Py_ssize_t captured, long long length, Arrival arrival, tuple tunnel, tuple fragments,
    )
    @cython.locals(state=ConnectionState, counters=DirectionCounters)
    cpdef note_sender(self, key, bint closed, long long mss)
    cpdef tick(self, long long now)
    @cython.locals(
        state=ConnectionState, stream=Stream, peer=Stream, order="long long", sequence="long long", end="long long",
        second=bint, before=Ended,
    )
    cdef _receive(self, found, Segment segment, Arrival arrival)
    cdef _take_data(self, ConnectionState state, Stream stream, Segment segment, long long sequence, Arrival arrival)
    @cython.locals(
        connection=Connection, first=Stream, second=Stream, decided=bint, full=bint, holes=bint,
    )
    cdef _settle(self, ConnectionState state, long long order, Arrival arrival)
    @cython.locals(heard="long long")
    cdef _look_at(self, Stream stream, Stream peer, long long order, Arrival arrival)
    @cython.locals(opened=HalfOpen)
    cdef bint _take_syn(self, found, key, long long sequence, Arrival arrival, tuple tunnel) except -1
    cdef _add_half_open(self, key)
    @cython.locals(state=ConnectionState)
    cdef ConnectionState _hold_fully(self, HalfOpen opened)
    @cython.locals(ended=Ended)
    cdef ConnectionState _find_or_start(self, HalfOpen opened, Segment segment, Arrival arrival)
    @cython.locals(connection=Connection, state=ConnectionState)
    cdef ConnectionState _start(self, Segment segment, long long epoch, Arrival arrival)
    @cython.locals(state=ConnectionState)
    cdef ConnectionState _hold(self, key, Connection connection)
    @cython.locals(stream=Stream, peer=Stream, same=bint, opens=bint, second=bint, ahead="long long")
    cdef ConnectionState _synchronise(self, ConnectionState state, Segment segment, Arrival arrival)
    cdef ConnectionState _replace(self, ConnectionState state, Segment segment, Arrival arrival)
    @cython.locals(carried=bint, lacks=bint, first=Stream, second=Stream)
    cdef _reset(self, ConnectionState state, Stream stream, Stream peer, Segment segment, Arrival arrival)
    cdef _end_replaced(self, name)
    @cython.locals(before=Stream, stream=Stream)
    cdef _hand_over(self, ConnectionState earlier, ConnectionState state)
    @cython.locals(slot=Py_ssize_t)
    cdef _forget(self, ConnectionState state)
    cdef _close_later(self, ConnectionState state, long long order, Arrival arrival)
    @cython.locals(connection=Connection, first=Stream, second=Stream)
    cdef _end(self, ConnectionState state, str reason, Arrival arrival)
    @cython.locals(opened=HalfOpen, connection=Connection)
    cdef _end_quietly(self, found, str reason)
    @cython.locals(state=ConnectionState)
    cpdef run_timers(self, Arrival arrival)
