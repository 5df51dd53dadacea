cimport cython
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.resync.writes cimport Writes
from kafkasniff.tcp.events cimport StreamData

@cython.final
cdef class HeldStream:
    cdef readonly long long limit, end, held, discarded
    cdef Budget _budget
    cdef public bint ended
    cdef readonly bint cut
    cdef bint _overflowed
    cdef readonly list segment_starts
    cdef readonly dict agreements
    cdef readonly Writes writes
    cdef set _behind_gaps
    cdef list _items, _runs, _run_starts

    @cython.locals(length="long long", limit="long long")
    cpdef push(self, StreamData event, Py_ssize_t start=*)
    cpdef push_gap(self, gap)
    cpdef follow_gap(self, bint cut)
    cpdef drop_before(self, long long offset)
    cpdef clear(self)
    @cython.locals(index=Py_ssize_t)
    cpdef bint begins_segment(self, long long offset) except -1
    cpdef bint follows_gap(self, offset) except -1
    cpdef bint begins_write(self, offset) except -1
    cpdef bint is_short(self, long long offset) except -1
    cpdef bint is_among_small_integers(self, long long offset, end=*) except -1
    cdef bint _is_in_line(self, long long offset, long long stop) except -1
    @cython.locals(index=Py_ssize_t, first="long long", run=bytearray)
    cpdef tuple run_at(self, long long offset)
    @cython.locals(start="long long", run=bytearray, found=tuple)
    cpdef bytes read(self, long long offset, long long count)
    @cython.locals(start="long long", run=bytearray, found=tuple)
    cpdef bytes read_up_to(self, long long offset, long long count)
    @cython.locals(start="long long", end="long long", run=bytearray, found=tuple)
    cpdef bytes read_to_gap(self, long long offset, long long count)
    @cython.locals(found=list)
    cpdef list items_from(self, long long offset)
