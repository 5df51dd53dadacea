cimport cython
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.resync.gaps cimport Gaps
from kafkasniff.calls.correlator cimport Correlator
from kafkasniff.calls.options cimport CallOptions
from kafkasniff.calls.streams cimport KafkaStreams
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport part, signed32
from kafkasniff.protocol.headers cimport RequestHeader, read_request_header
from kafkasniff.tcp.events cimport Connection, StreamData, new_stream_data

@cython.final
cdef class Conversation:
    cdef Connection _connection
    cdef object _limits
    cdef CallOptions _options
    cdef Budget _budget
    cdef object _undecided
    cdef Gaps _lost
    cdef list _contradicted
    cdef bytes _start_0, _start_1
    cdef long long _time
    cdef public KafkaStreams kafka
    cdef public object protocol
    cdef object _evidence
    cdef bint _has_gaps

    cpdef take(self, event)
    @cython.locals(kafka=KafkaStreams)
    cpdef take_segment(self, int direction, bytes data, long long missing, Arrival arrival, list items)
    @cython.locals(kafka=KafkaStreams, calls=list)
    cpdef take_data(self, StreamData data, list items)
    @cython.locals(data=bytes, header=RequestHeader, body=bytes)
    cpdef bint _proves_kafka(self, StreamData event) except -1
    cpdef _take_undecided(self, StreamData event)
    @cython.locals(data=bytes, start=bytes)
    cpdef note_start(self, StreamData event)
    cpdef list end(self, Arrival arrival, until=*)
    @cython.locals(kafka=KafkaStreams)
    cdef _take_gap(self, gap)
    cdef _lose(self, gap)
    cpdef _follow(self, int direction)
    cpdef list _take_gaps(self)
    cpdef _accept(self, int client, place, str evidence, bint raw_sasl=*, response_place=*)

cpdef note_server(dict servers, server, time)
