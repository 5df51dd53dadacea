cimport cython
from kafkasniff.calls.detection.conversation cimport Conversation
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.streams cimport KafkaStreams
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.tcp.events cimport (
    Connection, ConnectionEnd, DirectionCounters, Receiver, StreamData, new_stream_data,
)

cdef class Conversations(Receiver):
    cdef object _limits, _options, _tls, _counts
    cdef Budget _budget
    cdef bint _reports
    cdef dict _open
    cdef list _items
    cdef public long long until

    cpdef list take(self, list events)
    @cython.locals(plain=Conversation)
    cpdef take_segment(self, Connection connection, int direction, bytes data, long long missing, Arrival arrival)
    cdef _take_events(self, list events)
    @cython.locals(plain=Conversation)
    cdef _take_data(self, StreamData data)
    cdef _take_other(self, event)
    cdef _begin(self, event)
    @cython.locals(
        connection=Connection, first=DirectionCounters, second=DirectionCounters, items=list, plain=Conversation,
        kafka=KafkaStreams,
    )
    cdef list _end(self, ConnectionEnd event)
