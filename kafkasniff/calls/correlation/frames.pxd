cimport cython
from kafkasniff.calls.frame cimport Frame, new_frame
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.correlation.segments cimport LargestSegments
from kafkasniff.calls.correlation.uncut cimport UncutBytes
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport part, signed32
from kafkasniff.tcp.events cimport StreamData

cdef int _PREFIX, _NO_MESSAGE, _UNKNOWN, _LARGE, _HEADER_BYTES
cdef tuple _NO_PACKETS

@cython.final
cdef class FrameCutter:
    cdef public long long kept_limit, size_limit, smallest, offset, last_segment
    cdef public bint keep_packets, aligned
    cdef public object absurd_size
    cdef object _checks
    cdef int _direction
    cdef readonly LargestSegments largest_segments
    cdef Budget _budget
    cdef UncutBytes _uncut
    cdef long long _skip, _size
    cdef bytes _kept
    cdef bint _limited
    cdef Arrival _first, _last
    cdef list _packets
    cdef Frame _finished

    @cython.locals(size="long long", room=Py_ssize_t)
    cpdef Frame whole_frame(self, bytes data, Py_ssize_t start, Arrival arrival, tuple fragments)
    cpdef bint idle(self)
    cpdef bint has_more(self)
    cpdef restart(self, long long offset)
    cpdef Frame end(self, Arrival arrival)
    cpdef bint pass_over(self, long long length, Arrival arrival, tuple fragments) except -1
    @cython.locals(room=Py_ssize_t, size="long long")
    cpdef bint begin_cut(self, bytes data, Py_ssize_t start, Arrival arrival, tuple fragments) except -1
    cpdef note_segment(self, long long length)
    @cython.locals(length="long long", skipped="long long")
    cpdef add(self, StreamData event, Py_ssize_t start=*)
    @cython.locals(size="long long", start=Py_ssize_t, event=StreamData, believed=bint, kept="long long")
    cpdef push(self, StreamData event, Py_ssize_t start=*)
    cpdef push_gap(self, gap)
    cpdef lose(self, long long length, Arrival arrival)
    cdef _pass(self, long long length, Arrival arrival, tuple fragments)
    cpdef list take_rest(self)
    cpdef Frame next_frame(self)
    cdef Frame _cut_from_one_packet(self, StreamData event, Py_ssize_t start, Py_ssize_t size)
    @cython.locals(offset="long long", packets=tuple, body=bytes)
    cdef Frame _frame_in(self, bytes data, Py_ssize_t start, Py_ssize_t size, Arrival arrival, tuple fragments)
    @cython.locals(parts=list, left=Py_ssize_t, piece=bytes, event=StreamData)
    cdef bytes _take(self, Py_ssize_t count)
    cdef _start_skip(self, long long missing)
    @cython.locals(frame=Frame, offset="long long", packets=tuple)
    cdef _finish_partial(self)
    cdef Frame _hand_over(self)
    cdef _forget_frame(self)
    cdef _drop_uncut(self)
    cdef Py_ssize_t _uncut_count(self) except -1
    @cython.locals(last=Arrival, packets=list)
    cdef _note(self, Arrival arrival, tuple fragments)
