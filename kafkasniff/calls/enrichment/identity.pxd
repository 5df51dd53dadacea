cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.calls.enrichment.authentication cimport Authentication
from kafkasniff.octets cimport part
from kafkasniff.protocol.headers cimport RequestHeader

cdef Py_ssize_t _REMEMBERED_BODY, _MOST_BODIES
cdef dict _BODIES

@cython.locals(known=tuple)
cdef _software(int version, bytes body)

@cython.final
cdef class Identity:
    cdef Authentication _authentication
    cdef bint _begun, _offered
    cdef public bint raw_tokens, settled
    cdef public str security
    cdef public tuple software

    cpdef who(self)
    cpdef bint is_logging_in(self)
    @cython.locals(body=bytes)
    cpdef take_request(self, RequestHeader header, Frame frame)
    cpdef settle(self, int api_key, bint requests_complete)
    @cython.locals(header=RequestHeader, response=Frame)
    cpdef take_call(self, Call call)
