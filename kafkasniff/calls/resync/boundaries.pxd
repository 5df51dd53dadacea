cimport cython
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.correlation.frames cimport FrameCutter
from kafkasniff.calls.correlation.pairing cimport Pairing
from kafkasniff.calls.correlation.segments cimport LargestSegments
from kafkasniff.calls.resync.held cimport HeldStream
from kafkasniff.calls.resync.lost_ids cimport LostIds
from kafkasniff.calls.resync.shapes cimport next_shape
from kafkasniff.octets cimport signed32
from kafkasniff.protocol.headers cimport RequestHeader, read_request_header

@cython.final
cdef class Boundaries:
    cdef int _client
    cdef long long _limit
    cdef Budget _budget
    cdef Pairing _pairing
    cdef bint _ended
    cdef readonly bint searching
    cdef public list searches
    cdef public set client_ids
    cdef public str last_client_id
    cdef public long long request_id, answer_id
    cdef public LostIds lost_ids

    cpdef know_client(self, client_id)
    cpdef begin(self, int direction)
    @cython.locals(
        size="long long", number="long long", end="long long", header=RequestHeader, first=FrameCutter, second=FrameCutter,
        full="long long",
    )
    cpdef bint begins_frame(self, tuple cutters, int direction, bytes data, long long length) except -1
    @cython.locals(cutter=FrameCutter, each=FrameCutter, largest=LargestSegments, rest=list)
    cpdef bint is_inside_message(self, int direction, bytes data) except -1
    cpdef begin_behind(self, tuple cutters, int direction, bint behind_gap)
    cdef _search(self, int direction, search)
    @cython.locals(held=HeldStream)
    cpdef find(self, int direction, bint again)
    cpdef end(self)
    cpdef bint is_plausible(self, int direction, size, bytes start) except -1
