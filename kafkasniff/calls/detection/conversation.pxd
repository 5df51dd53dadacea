cimport cython
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.streams cimport KafkaStreams
from kafkasniff.octets cimport part, signed32
from kafkasniff.protocol.headers cimport RequestHeader, read_request_header
from kafkasniff.tcp.events cimport Connection, StreamData

@cython.final
cdef class Conversation:
    cdef Connection _connection
    cdef object _limits, _options
    cdef Budget _budget
    cdef tuple _searched
    cdef dict _lone_responses
    cdef long long _seen
    cdef list _starts, _contradicted
    cdef object _gaps
    cdef long long _time
    cdef public KafkaStreams kafka
    cdef public object protocol, evidence
    cdef bint _has_gaps

    cpdef take(self, event)
    @cython.locals(kafka=KafkaStreams, calls=list)
    cpdef take_data(self, StreamData data, list items)
    @cython.locals(data=bytes, header=RequestHeader, body=bytes)
    cpdef bint _proves_kafka(self, StreamData event) except -1
    cpdef _take_undecided(self, StreamData event)
    cpdef note_start(self, StreamData event)
