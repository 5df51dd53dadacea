cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.detection.conversation cimport Conversation
from kafkasniff.calls.enrichment.learning cimport Learning
from kafkasniff.calls.streams cimport KafkaStreams
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport part
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.tcp.events cimport (
    Connection, ConnectionEnd, DirectionCounters, Receiver, StreamData, new_stream_data,
)
from kafkasniff.tcp.reassembler cimport Reassembler

cdef int _TELLS, _NAMES_IDS, _LOOKED_UP, _KEYS, _VERSIONS

cdef class Engine(Receiver):
    cdef readonly Reassembler reassembler
    cdef readonly object tls, counts
    cdef object _call_limits, _options, _budget
    cdef Learning _learning
    cdef bint _report_connections
    cdef object _next_sweep, _latest
    cdef bytearray _kinds
    cdef dict _conversations
    cdef list _items

    @cython.locals(plain=Conversation, payload=bytes)
    cpdef take_segment(
        self, Connection connection, int direction, bytes data, Py_ssize_t start, Py_ssize_t length, Arrival arrival
    )
    cdef list _take_rest(self, list events)
    cdef _take_events(self, list events)
    @cython.locals(plain=Conversation)
    cdef _take_data(self, StreamData data)
    @cython.locals(
        call=Call, header=RequestHeader, calls="long long", kind=int, key=int, version=int, kinds=bytearray,
        learning=Learning,
    )
    cpdef _note(self, items)
    cpdef _begin(self, event)
    @cython.locals(
        connection=Connection, first=DirectionCounters, second=DirectionCounters, items=list, plain=Conversation,
        kafka=KafkaStreams,
    )
    cpdef list _end(self, ConnectionEnd event)
