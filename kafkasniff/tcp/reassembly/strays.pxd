cimport cython
from kafkasniff.tcp.reassembly.chunks cimport Chunk
from kafkasniff.tcp.reassembly.sequence cimport LARGEST_LEAP, MASK, NEVER, distance
from kafkasniff.tcp.reassembly.streams cimport Stream

@cython.locals(leap="long long", stray=Chunk, strays=list)
cpdef take_stray(Stream stream, long long sequence, Chunk chunk, list events)
