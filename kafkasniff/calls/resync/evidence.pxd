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
cpdef long long next_look(HeldStream held, long long offset, long long end) except -1
cpdef long long size_doubts(HeldStream held, long long size, long long end) except -1
cdef long long segment_points(HeldStream held, long long offset) except -1
