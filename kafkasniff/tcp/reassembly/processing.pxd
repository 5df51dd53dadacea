cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport big32, part
from kafkasniff.tcp.reassembly.connections cimport ConnectionTable
from kafkasniff.tcp.reassembly.ended cimport Ended, remembered
from kafkasniff.tcp.events cimport Connection, DirectionCounters, Receiver
from kafkasniff.tcp.reassembly.holes cimport look_at
from kafkasniff.tcp.reassembly.memory cimport Memory
from kafkasniff.tcp.packets.segments cimport Segment
from kafkasniff.tcp.reassembly.sequence cimport FARTHEST, HALF, MASK, NEVER, distance
from kafkasniff.tcp.reassembly.state cimport ConnectionState, is_first
from kafkasniff.tcp.reassembly.streams cimport Stream
from kafkasniff.tcp.reassembly.timers cimport Timers

cdef int _FIN, _SYN, _RST, _ACK, _CONTROLS
cdef long long _FAST_OPEN_DATA

@cython.final
cdef class SegmentProcessor:
    cdef public list events
    cdef ConnectionTable _table
    cdef Memory _memory
    cdef Timers _timers
    cdef object _holes
    cdef object _limits, _counters
    cdef Receiver _receiver
    cdef long long _reordering

    @cython.locals(second=bint)
    cpdef receive(
        self, key, long long sequence, long long acknowledgement, int flags, bytes data, Py_ssize_t start,
        Py_ssize_t captured, long long length, Arrival arrival, tuple tunnel=*, tuple fragments=*,
    )
    @cython.locals(
        source="long long", destination="long long", ports="long long", slot=Py_ssize_t, state=ConnectionState,
        second=bint, is_known=bint, sequence="long long", acknowledgement="long long", table=ConnectionTable,
    )
    cdef receive_ipv4(
        self, bytes data, const unsigned char* view, Py_ssize_t ip, int flags, Py_ssize_t payload, Py_ssize_t captured,
        long long length, Arrival arrival,
    )
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
    @cython.locals(
        state=ConnectionState, stream=Stream, peer=Stream, order="long long", sequence="long long", end="long long",
        second=bint, before=Ended, table=ConnectionTable,
    )
    cdef _receive(self, found, Segment segment, Arrival arrival)
    cdef _take_data(self, ConnectionState state, Stream stream, Segment segment, long long sequence, Arrival arrival)
    @cython.locals(
        connection=Connection, first=Stream, second=Stream, decided=bint, full=bint, holes=bint,
    )
    cdef _settle(self, ConnectionState state, long long order, Arrival arrival)
    @cython.locals(stream=Stream, peer=Stream, same=bint, opens=bint, second=bint, ahead="long long")
    cdef ConnectionState _synchronise(self, ConnectionState state, Segment segment, Arrival arrival)
    @cython.locals(carried=bint, lacks=bint, first=Stream, second=Stream)
    cdef _reset(self, ConnectionState state, Stream stream, Stream peer, Segment segment, Arrival arrival)
    cpdef tick(self, long long now)
    @cython.locals(state=ConnectionState, table=ConnectionTable)
    cpdef run_timers(self, Arrival arrival)
