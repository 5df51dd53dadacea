cimport cython
from kafkasniff.calls.call cimport Frame
from kafkasniff.calls.limits cimport Budget
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport unsigned32
from kafkasniff.protocol.headers cimport RequestHeader

@cython.final
@cython.no_gc
@cython.freelist(256)
cdef class WaitingRequest:
    cdef readonly Frame frame
    cdef readonly RequestHeader header
    cdef readonly long long responses_lost

@cython.final
cdef class RequestQueue:
    cdef list _requests
    cdef Py_ssize_t _first

    cpdef append(self, WaitingRequest request)
    cpdef WaitingRequest first(self)
    @cython.locals(request=WaitingRequest)
    cpdef WaitingRequest pop_first(self)

@cython.final
cdef class Pairing:
    cdef readonly Budget budget
    cdef readonly RequestQueue waiting
    cdef readonly long long waiting_bytes, responses_lost
    cdef readonly Arrival lost_at
    cdef readonly bint requests_complete
    cdef object _early
    cdef long long _frames

    @cython.locals(request=WaitingRequest, size=Py_ssize_t)
    cpdef list add_request(self, Frame frame, RequestHeader header)
    @cython.locals(request=WaitingRequest, wanted="long long")
    cpdef WaitingRequest answered_by(self, Frame frame)
    @cython.locals(request=WaitingRequest, size=Py_ssize_t)
    cpdef WaitingRequest _remove_first(self)

@cython.locals(data=bytes, place=Py_ssize_t)
cpdef bint expects_response(RequestHeader header, Frame frame)
