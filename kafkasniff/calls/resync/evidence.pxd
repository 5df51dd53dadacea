cimport cython
from kafkasniff.calls.resync.held cimport HeldStream
from kafkasniff.octets cimport signed32

@cython.locals(start=bytes, size="long long", client_id="long long", needed="long long")
cpdef read_prefix(HeldStream held, long long offset)
@cython.locals(
    size="long long", end="long long", points="long long", limit="long long", agreement="long long", known=bint, answered=bint,
    follows=bint, may_be_integers=bint, named=bint,
)
cpdef score_request(
    HeldStream held, long long offset, answers, client_ids=*, previous_id=*, int chain=*, bint first=*
)
@cython.locals(
    prefix=bytes, size="long long", end="long long", points="long long", correlation_id="long long", counts_up=bint,
)
cpdef score_response(HeldStream held, long long offset, pending, lost=*, previous_id=*, int chain=*)
cdef _id_at(HeldStream held, long long place)
cpdef long long lone_points(
    HeldStream held, long long offset, long long end, long long correlation_id, step, bint first
) except -1
cpdef long long next_look(HeldStream held, long long offset, long long end) except -1
cpdef long long size_doubts(HeldStream held, long long size, long long end) except -1
cpdef bint is_all_there(HeldStream held, long long offset, long long end) except -1
cdef long long segment_points(HeldStream held, long long offset) except -1
