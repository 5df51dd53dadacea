cimport cython
from kafkasniff.calls.frame cimport Frame
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.tcp.events cimport Connection

cdef class Call:
    cdef public Connection connection
    cdef public str client, server
    cdef public Frame request, response
    cdef public RequestHeader header
    cdef public str outcome
    cdef public Arrival ended
    cdef public object pending_ns
    cdef public str security_protocol
    cdef public object principal, software_name, software_version
    cdef public bint show_secrets
    cdef public long long number
    cdef public object pairing_problems, context, fetch_session
    cdef public object _request_body, _response_body, _request_scan, _response_scan, _contents, _errors

@cython.locals(call=Call)
cpdef Call new_call()
