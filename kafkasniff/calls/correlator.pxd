cimport cython
from kafkasniff.calls.resync.boundaries cimport Boundaries
from kafkasniff.calls.call cimport Call, new_call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.calls.correlation.frames cimport FrameCutter
from kafkasniff.calls.enrichment.identity cimport Identity
from kafkasniff.calls.options cimport CallOptions
from kafkasniff.calls.correlation.pairing cimport Pairing, expects_response
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.headers cimport RequestHeader, is_known, read_request_header
from kafkasniff.tcp.events cimport Connection, endpoint_text

cdef int _FIRST_LOGIN_API, _LAST_LOGIN_API, _SMALLEST_REQUEST, _SMALLEST_RESPONSE

cdef bint _is_login_api(int api_key) except -1

@cython.final
cdef class Correlator:
    cdef Connection connection
    cdef int client
    cdef object _limits
    cdef str _client_text, _server_text
    cdef readonly Pairing pairing
    cdef Boundaries _boundaries
    cdef tuple _cutters
    cdef readonly dict notes
    cdef object _contradictions
    cdef bint _may_be_contradicted
    cdef readonly Identity identity
    cdef bint _show_secrets
    cdef object _context
    cdef long long _most_pending, _pending_bytes
    cdef list calls
    cdef Py_ssize_t calls_before
    cdef readonly long long call_count

    @cython.locals(header=RequestHeader, pairing=Pairing, boundaries=Boundaries)
    cdef bint take_request(self, Frame frame) except -1
    @cython.locals(cutter=FrameCutter)
    cdef expect_tokens(self)
    cdef bint _is_request(self, RequestHeader header) except -1
    @cython.locals(header=RequestHeader, request=Frame)
    cdef bint take_response(self, Frame frame) except -1
    cdef refuse(self, int direction, long long position, Arrival arrival, str found)
    cdef _describe(self, Frame frame, int direction, str side)
    cdef lose(self, int direction, Arrival arrival)
    @cython.locals(calls=list)
    cpdef list take_calls(self)
    cdef end(self, Arrival arrival, Frame rest, until)
    cdef _emit(self, list pairs)
    @cython.locals(call=Call, identity=Identity)
    cdef _end_call(self, Frame request, Frame response, RequestHeader header, str outcome, Arrival ended, pending_ns, tuple problems)
