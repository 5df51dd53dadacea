cimport cython
from kafkasniff.tcp.packets.segments cimport Segment
from kafkasniff.tcp.reassembly.sequence cimport FARTHEST, NEVER, distance
from kafkasniff.tcp.reassembly.state cimport ConnectionState
from kafkasniff.tcp.reassembly.streams cimport Stream

cdef int _SYN, _RST, _ACK
cdef long long _ENDED_NS, _SYN_COPY_NS

@cython.final
cdef class Ended:
    cdef readonly long long epoch, time
    cdef readonly object key
    cdef long long _sequence_0, _sequence_1, _initial_0, _initial_1
    cdef bint _closed

    @cython.locals(second=bint, known="long long", ahead="long long")
    cpdef bint has(self, Segment segment, long long time) except -1
    @cython.locals(own="long long", other="long long")
    cpdef bint has_rather_than(self, Stream stream, Stream peer, Segment segment, long long time) except -1

@cython.final
cdef class EndedConnections:
    cdef dict _later, _earlier
    cdef Py_ssize_t _most_later

    cpdef Ended get(self, key)
    cpdef add(self, key, Ended ended)

@cython.locals(ended=Ended, first=Stream, second=Stream)
cpdef Ended remembered(ConnectionState state)
