cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport unsigned32
from kafkasniff.tcp.reassembly.chunks cimport Chunk
from kafkasniff.tcp.events cimport Connection
from kafkasniff.tcp.reassembly.flow_keys cimport canonical, reverse
from kafkasniff.tcp.reassembly.half_open cimport HalfOpen
from kafkasniff.tcp.packets.segments cimport Segment
from kafkasniff.tcp.reassembly.sequence cimport FARTHEST, MASK, NEVER, distance
from kafkasniff.tcp.reassembly.streams cimport Stream

cdef int _RST, _SYN, _ACK
cdef long long _NEAR_START

@cython.final
cdef class ConnectionState:
    cdef readonly object key, other, name
    cdef readonly long long source, destination, ports, ports_back
    cdef public Connection connection
    cdef readonly Stream first, second
    cdef public bint careful, holding, timed, half_open, syn_ack_seen, has_holes
    cdef public long long closing
    cdef public tuple reset
    cdef public Challenge challenge
    cdef long long _syn_time
    cdef Stream _sent_stream
    cdef long long _sent_end, _sent_time

    cpdef bint is_second(self, key) except -1
    cpdef long long order(self)
    @cython.locals(first=Stream, second=Stream)
    cpdef note_care(self, bint holes)
    cpdef bint takes_challenge(self, Segment segment, Arrival arrival) except -1
    cpdef bint outlives_challenge(self, long long patience) except -1
    cpdef go_on_from(self, HalfOpen opened)
    @cython.locals(stream=Stream, peer=Stream, opens=bint)
    cpdef synchronise(self, bint second, Segment segment, Arrival arrival)
    @cython.locals(connection=Connection)
    cpdef acknowledge(self, Stream stream, Stream peer, Segment segment, Arrival arrival)
    @cython.locals(end="long long")
    cpdef note_sent(self, Stream stream, Segment segment, long long sequence, Arrival arrival)
    @cython.locals(stream=Stream, waiting=list)
    cpdef release(self, Arrival arrival, list events)
    @cython.locals(before=Stream, stream=Stream)
    cpdef take_out_of_window_of(self, ConnectionState earlier, list events)

@cython.final
cdef class Challenge:
    cdef readonly Segment segment
    cdef readonly Arrival arrival
    cdef readonly long long order

    @cython.locals(first="long long", own=bint, stream=Stream)
    cpdef bint is_accepted(self, ConnectionState state, Segment segment) except -1

cpdef bint is_first(Stream stream, Segment segment) except -1
@cython.locals(offset="long long")
cpdef bint may_begin(Stream stream, long long sequence) except -1
