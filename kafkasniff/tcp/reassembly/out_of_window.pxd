cimport cython
from kafkasniff.tcp.reassembly.chunks cimport Chunk
from kafkasniff.tcp.reassembly.sequence cimport LARGEST_LEAP, MASK, NEVER, distance
from kafkasniff.tcp.reassembly.streams cimport Stream

@cython.locals(leap="long long", segment=Chunk, segments=list)
cpdef take_out_of_window(Stream stream, long long sequence, Chunk chunk, list events)
