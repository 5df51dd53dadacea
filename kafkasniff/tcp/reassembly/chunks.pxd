cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.tcp.events cimport DirectionCounters

cdef long long _LATE_NS, _DUPLICATE_NS, _OVERHEAD

@cython.final
cdef class Chunk:
    cdef readonly long long start, end, order
    cdef readonly bytes data
    cdef readonly Arrival arrival
    cdef readonly tuple fragments

    cpdef Chunk between(self, long long start, long long end)
    cpdef Chunk moved(self, long long start)
    cpdef long long held(self)

@cython.final
cdef class Delivered:
    cdef readonly bytes data
    cdef readonly long long length, time

@cython.locals(delivered=Delivered)
cpdef Delivered new_delivered(bytes data, long long length, long long time)

@cython.locals(low=Py_ssize_t, high=Py_ssize_t, middle=Py_ssize_t, chunk=Chunk)
cpdef Py_ssize_t index_behind(list pending, long long start)
@cython.locals(
    index=Py_ssize_t, added="long long", start="long long", stop="long long", repeated=Chunk, before=Chunk,
    following=Chunk, part=Chunk, differences=list,
)
cpdef tuple insert(list pending, Chunk chunk)
@cython.locals(start="long long", end="long long", found=list)
cdef list _differences(Chunk chunk, Chunk other)
@cython.locals(piece=Delivered, position="long long", start="long long", differences=list)
cpdef tuple compare_delivered(Chunk chunk, delivered, long long end)
@cython.locals(late=bint)
cpdef bint count_repeat(DirectionCounters counters, Chunk chunk, first, bint differs) except -1
