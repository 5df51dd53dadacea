cimport cython
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.streams cimport KafkaStreams
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

    @cython.locals(data=StreamData, kafka=KafkaStreams, calls=list)
    cpdef take(self, event)
