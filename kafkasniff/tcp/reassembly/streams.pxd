cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.tcp.reassembly.chunks cimport Chunk, count_repeat, index_behind, insert, new_delivered
from kafkasniff.tcp.events cimport Connection, DirectionCounters, StreamData, new_stream_data
from kafkasniff.tcp.reassembly.hole cimport Hole
from kafkasniff.tcp.reassembly.memory cimport Memory
from kafkasniff.tcp.reassembly.sequence cimport FARTHEST, LARGEST_LEAP, MASK, NEVER, distance

cdef long long _NOTED_DIFFERENCES
cdef long long _LATE_NS

@cython.final
cdef class Stream:
    cdef readonly Connection connection
    cdef readonly int direction
    cdef readonly DirectionCounters counters
    cdef readonly Memory memory
    cdef public long long sequence, position, origin, acked, stood, buffered, initial, fin
    cdef long long _far_ack
    cdef public bint known, anchored, certain, finished
    cdef public Hole hole
    cdef readonly Arrival fin_arrival
    cdef public list pending, out_of_window
    cdef list _contradicted, _recent

    cpdef refer(self, long long sequence)
    @cython.locals(kept=list, first=Chunk)
    cpdef begin(self, long long sequence, bint certain)
    @cython.locals(start="long long", first=Chunk)
    cpdef anchor(self)
    @cython.locals(offset="long long", start="long long", chunk=Chunk)
    cpdef take(
        self, long long sequence, bytes data, long long length, Arrival arrival, tuple fragments, long long order,
        list events,
    )
    cpdef stand_at(self, long long sequence)
    @cython.locals(offset="long long", advance="long long", acked="long long")
    cpdef acknowledge(self, long long acknowledgement)
    @cython.locals(offset="long long")
    cpdef bint end_at(self, long long sequence, Arrival arrival) except -1
    cpdef check_end(self)
    cpdef bint at_rest(self) except -1
    @cython.locals(chunk=Chunk)
    cpdef bint deliver_first(self, Arrival by, list events) except -1
    @cython.locals(length="long long")
    cpdef give_up(self, long long end, Arrival by, list events)
    @cython.locals(recent=list)
    cpdef remember(self, bytes data, long long length, long long time)
    cpdef forget(self)
    cpdef discard(self)
    cdef bint _is_probe(self, long long start) except -1
    @cython.locals(late=bint)
    cdef _take(self, Chunk chunk, list events)
    @cython.locals(size="long long", length="long long", event=StreamData)
    cpdef deliver(self, Chunk chunk, Arrival by, list events)
    @cython.locals(done=Py_ssize_t, count=Py_ssize_t, chunk=Chunk, pending=list)
    cpdef deliver_pending(self, long long through, Arrival by, list events)
    cdef note_gap(self, long long length, long long time)
    cpdef report_gap(self, length, Arrival by, bint cut, list events)
    @cython.locals(pending=list, added="long long", repeated=Chunk, differences=list, last=Chunk, behind=Chunk)
    cdef _buffer(self, Chunk chunk, bint late=*)
    cdef bint _repeat(self, Chunk chunk, list events) except -1
    @cython.locals(elapsed="long long", known=bint, late=bint)
    cdef _count_buffered(self, long long size)
    @cython.locals(held="long long", chunk=Chunk)
    cdef _replace_pending(self, list chunks)
