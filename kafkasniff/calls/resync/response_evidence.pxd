cimport cython
from kafkasniff.calls.resync.evidence cimport next_look, read_prefix, segment_points, size_doubts
from kafkasniff.calls.resync.held cimport HeldStream
from kafkasniff.octets cimport signed32

@cython.locals(
    prefix=bytes, size="long long", end="long long", points="long long", correlation_id="long long", counts_up=bint,
)
cpdef score_response(HeldStream held, long long offset, pending, lost=*, previous_id=*, int chain=*)
cdef _id_at(HeldStream held, long long place)
cpdef long long lone_points(
    HeldStream held, long long offset, long long end, long long correlation_id, step, bint first
) except -1
cpdef bint is_all_there(HeldStream held, long long offset, long long end) except -1
