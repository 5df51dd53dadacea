cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.tcp.reassembly.chunks cimport Chunk
from kafkasniff.tcp.reassembly.hole cimport Hole
from kafkasniff.tcp.reassembly.sequence cimport NEVER
from kafkasniff.tcp.reassembly.state cimport ConnectionState
from kafkasniff.tcp.reassembly.streams cimport Stream

@cython.locals(heard="long long")
cdef look_at(Stream stream, Stream peer, long long order, Arrival by, list events)
@cython.locals(end="long long", chunk=Chunk, hole=Hole)
cpdef look_for_hole(Stream stream, long long order, long long time, long long heard)
@cython.locals(
    reordering="long long", hole=Hole, silent=bint, proven=bint, any_through=bint, through="long long",
    seen="long long", chunk=Chunk,
)
cpdef close_proven(Stream stream, long long order, Arrival by, long long heard, list events, bint in_order=*)
