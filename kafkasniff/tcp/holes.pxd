cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.tcp.chunks cimport Chunk
from kafkasniff.tcp.hole cimport Hole
from kafkasniff.tcp.sequence cimport NEVER
from kafkasniff.tcp.state cimport ConnectionState
from kafkasniff.tcp.streams cimport Stream

@cython.locals(end="long long", chunk=Chunk, hole=Hole)
cpdef look_for_hole(Stream stream, long long order, long long time, long long heard)
@cython.locals(
    reordering="long long", hole=Hole, silent=bint, proven=bint, any_through=bint, through="long long",
    seen="long long", chunk=Chunk,
)
cpdef close_proven(Stream stream, long long order, Arrival by, long long heard, list events, bint in_order=*)
