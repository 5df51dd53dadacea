cimport cython
from kafkasniff.calls.frame cimport Frame
from kafkasniff.calls.limits cimport Budget
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport signed32, unsigned16
from kafkasniff.protocol.headers cimport RequestHeader

@cython.final
cdef class RequestQueue:
    cdef Frame _first
    cdef list _others
    cdef Py_ssize_t _gone

    cpdef Py_ssize_t count(self) except -1
    cpdef append(self, Frame request)
    cpdef Frame first(self)
    cpdef Frame last(self)
    @cython.locals(request=Frame, others=list)
    cpdef Frame pop_first(self)

@cython.final
cdef class Pairing:
    cdef readonly Budget budget
    cdef readonly RequestQueue waiting
    cdef readonly long long waiting_bytes, responses_lost
    cdef readonly Arrival lost_at
    cdef readonly bint requests_complete
    cdef readonly bint has_early
    cdef list _early
    cdef long long _frames

    cpdef lose_responses(self, Arrival arrival)
    cpdef lose_requests(self)
    @cython.locals(size=Py_ssize_t)
    cpdef add_request(self, Frame frame)
    @cython.locals(request=Frame)
    cpdef Frame answered_by(self, Frame frame)
    cpdef list pair_early(self, Frame frame)
    @cython.locals(request=Frame, pairs=list)
    cpdef list add_response(self, Frame frame)
    @cython.locals(request=Frame)
    cpdef give_up_oldest(self, Arrival arrival, Arrival ended=*)
    @cython.locals(request=Frame)
    cdef _without_response(self, Arrival arrival, bint seen_to_the_end=*, Arrival last_known=*)
    @cython.locals(frame=Frame, request=Frame)
    cdef list _give_up_early(self, Py_ssize_t count, Frame answered=*)
    cdef Frame _pop_early(self)
    cdef list _give_up_late(self)
    cpdef bint waits_for(self, long long correlation_id) except -1
    @cython.locals(request=Frame, size=Py_ssize_t)
    cpdef Frame _remove_first(self)
    cdef bint _is_older(self, Frame frame) except -1

cdef int _PRODUCE, _FIRST_IN_TRANSACTIONS, _FLEXIBLE_PRODUCE, _LARGEST_INT16, _MOST_GONE

cpdef long long correlation_id(Frame response) except? -1
@cython.locals(header=RequestHeader, data=bytes, place=Py_ssize_t)
cpdef bint expects_response(Frame frame) except -1
@cython.locals(place=Py_ssize_t, length=Py_ssize_t)
cdef Py_ssize_t _acks_place(RequestHeader header, bytes data) except -1
