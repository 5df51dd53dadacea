cimport cython
from kafkasniff.calls.correlator cimport Correlator
from kafkasniff.calls.resync.boundaries cimport Boundaries
from kafkasniff.calls.resync.held cimport HeldStream
from kafkasniff.calls.frame cimport Frame
from kafkasniff.calls.correlation.frames cimport FrameCutter
from kafkasniff.calls.options cimport CallOptions
from kafkasniff.calls.correlation.pairing cimport Pairing
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.tcp.events cimport Connection, StreamData, new_stream_data

cdef int _PREFIX
cdef tuple _NO_PACKETS

@cython.final
cdef class KafkaStreams:
    cdef readonly Connection connection
    cdef readonly int client
    cdef readonly Correlator correlator
    cdef readonly tuple starts
    cdef Boundaries _boundaries
    cdef tuple _cutters
    cdef object _waiting

    @cython.locals(
        own=list, cutter=FrameCutter, frame=Frame, fragments=tuple, start=Py_ssize_t, length=Py_ssize_t,
        boundaries=Boundaries, correlator=Correlator,
    )
    cpdef take_bytes(self, int direction, bytes data, long long missing, Arrival arrival, StreamData event, list calls)
    @cython.locals(cutter=FrameCutter, frame=Frame, boundaries=Boundaries)
    cdef _lose_rest(self, int direction, long long missing, Arrival arrival)
    cpdef take(self, int direction, item)
    cdef _search_other(self, int direction)
    @cython.locals(cutter=FrameCutter, correlator=Correlator)
    cdef _take_frame(self, int direction, Frame frame)
    cdef _take_waiting(self)
    @cython.locals(cutter=FrameCutter, searches=list, held=HeldStream, boundaries=Boundaries)
    cdef _take(self, int direction, item)
    @cython.locals(cutter=FrameCutter, held=HeldStream)
    cdef _search(self, int direction, bint again)
    cdef StreamData _event(self, int direction, bytes data, Arrival arrival)
    @cython.locals(cutter=FrameCutter)
    cdef _begin_at(self, int direction, start)
    cdef drain(self, int direction)
    @cython.locals(cutter=FrameCutter, request=Frame, rest=Frame, correlator=Correlator)
    cpdef end(self, Arrival arrival, until)
    @cython.locals(first=FrameCutter, second=FrameCutter, pairing=Pairing)
    cdef bint _is_at_rest(self) except -1
    @cython.locals(cutter=FrameCutter, frame=Frame)
    cdef _drain(self, int direction, gap=*)
