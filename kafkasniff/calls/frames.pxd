cimport cython
from kafkasniff.calls.call cimport Frame
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.segments cimport LargestSegments
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport part, unsigned32
from kafkasniff.tcp.events cimport StreamData

@cython.final
cdef class FrameCutter:
    cdef public long long kept_limit, size_limit, offset, last_segment
    cdef public bint keep_packets, aligned
    cdef public object plausible, absurd_size
    cdef readonly LargestSegments largest_segments
    cdef Budget _budget
    cdef object _queue
    cdef long long _available, _skip
    cdef object _size
    cdef bytes _kept
    cdef bint _limited
    cdef Arrival _first, _last
    cdef list _packets
    cdef Frame _finished

    @cython.locals(
        data=bytes, end=Py_ssize_t, size="long long", frame=Frame,
    )
    cpdef Frame whole_frame(self, StreamData event, Py_ssize_t start)
    cpdef bint idle(self)
    cpdef note_segment(self, long long length)
    @cython.locals(length="long long", skipped="long long")
    cpdef add(self, StreamData event, Py_ssize_t start=*)
    cpdef next_frame(self)
    @cython.locals(arrival=Arrival, last=Arrival)
    cpdef _note(self, StreamData event)
