# Compiled for speed: of each connection a call of each API a second is looked at.

cimport cython
from kafkasniff.diagnose.memory.bounded cimport AnyBounded
from kafkasniff.diagnose.memory.tallies cimport Tally
from kafkasniff.diagnose.rule cimport state_of
from kafkasniff.diagnose.seen.seen_call cimport SeenCall

@cython.final
cdef class Point:
    cdef public long long time, position, end, start

@cython.final
cdef class Track:
    cdef public Point first, last

    cpdef Track add(self, Point point)

@cython.final
cdef class Partition:
    cdef public long long end, start, told
    cdef public object latest
    cdef public Track fetched, committed

cdef class Lag(Tally):
    cdef public dict partitions
    cdef public object group

    cpdef Partition partition(self, index)
