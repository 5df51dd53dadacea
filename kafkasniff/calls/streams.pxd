cimport cython
from kafkasniff.calls.resync.boundaries cimport Boundaries
from kafkasniff.calls.call cimport Call, new_call
from kafkasniff.calls.resync.held cimport HeldStream
from kafkasniff.calls.frame cimport Frame
from kafkasniff.calls.correlation.frames cimport FrameCutter
from kafkasniff.calls.enrichment.identity cimport Identity
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.correlation.pairing cimport Pairing, expects_response
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.headers cimport RequestHeader, is_known, read_request_header
from kafkasniff.tcp.events cimport Connection, DirectionCounters, StreamData, endpoint_text, new_stream_data

cdef int _FIRST_LOGIN_API, _LAST_LOGIN_API, _PREFIX, _SMALLEST_REQUEST, _SMALLEST_RESPONSE
cdef tuple _NO_PACKETS

cdef bint _is_login_api(int api_key) except -1

@cython.final
cdef class CallOptions:
    cdef public bint show_secrets, keep_packets, fetch_sessions
    cdef public object context
    cdef public dict kafka_servers

@cython.final
cdef class KafkaStreams:
    cdef public Connection connection
    cdef public int client
    cdef object _limits
    cdef Budget _budget
    cdef CallOptions _options
    cdef str _client_text, _server_text
    cdef Pairing _pairing
    cdef Boundaries _boundaries
    cdef tuple _cutters
    cdef readonly object starts
    cdef object _waiting
    cdef dict _notes
    cdef object _contradictions
    cdef bint _may_be_contradicted
    cdef Identity _identity
    cdef bint _show_secrets
    cdef object _context
    cdef long long _most_pending, _pending_bytes
    cdef list _calls
    cdef Py_ssize_t _held_calls
    cdef public long long call_count

    @cython.locals(
        own=list, cutter=FrameCutter, frame=Frame, fragments=tuple, start=Py_ssize_t, length=Py_ssize_t,
        boundaries=Boundaries, ended=bint,
    )
    cpdef take_bytes(self, int direction, bytes data, long long missing, Arrival arrival, StreamData event, list calls)
    @cython.locals(cutter=FrameCutter, frame=Frame, boundaries=Boundaries)
    cdef _lose_rest(self, int direction, long long missing, Arrival arrival)
    cpdef take(self, int direction, item)
    cdef _search_other(self, int direction)
    @cython.locals(cutter=FrameCutter)
    cdef _take_frame(self, int direction, Frame frame)
    cdef _take_waiting(self)
    @cython.locals(cutter=FrameCutter, searches=list, held=HeldStream, boundaries=Boundaries)
    cdef _take(self, int direction, item)
    @cython.locals(cutter=FrameCutter, held=HeldStream)
    cdef _search(self, int direction, bint again)
    cdef _lose(self, int direction, Arrival arrival)
    cdef StreamData _event(self, int direction, bytes data, Arrival arrival)
    cpdef bint _is_request(self, RequestHeader header) except -1
    @cython.locals(header=RequestHeader, pairing=Pairing, boundaries=Boundaries)
    cpdef bint _take_request(self, Frame frame) except -1
    @cython.locals(header=RequestHeader, request=Frame)
    cpdef bint _take_response(self, Frame frame) except -1
    @cython.locals(call=Call, identity=Identity)
    cpdef _end_call(self, Frame request, Frame response, RequestHeader header, str outcome, Arrival ended, pending_ns, tuple problems)
    @cython.locals(cutter=FrameCutter)
    cpdef _begin_at(self, int direction, start)
    cpdef drain(self, int direction)
    @cython.locals(calls=list)
    cpdef list take_calls(self)
    @cython.locals(cutter=FrameCutter, boundaries=Boundaries, searches=list, request=Frame, rest=Frame)
    cpdef end(self, Arrival arrival, until)
    @cython.locals(first=FrameCutter, second=FrameCutter, pairing=Pairing)
    cdef bint _is_at_rest(self) except -1
    cpdef bint _server_seen(self) except -1
    @cython.locals(cutter=FrameCutter)
    cpdef _expect_tokens(self)
    cpdef _emit(self, list pairs)
    cpdef _describe(self, Frame frame, int direction, str side)
    @cython.locals(cutter=FrameCutter, frame=Frame)
    cpdef _drain(self, int direction, gap=*)
