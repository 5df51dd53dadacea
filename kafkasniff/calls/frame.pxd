cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.protocol.headers cimport RequestHeader

@cython.final
cdef class Frame:
    cdef public Py_ssize_t size
    cdef public bytes data
    cdef public Arrival first, last
    cdef public long long stream_offset
    cdef public list _problems
    cdef public tuple packets
    cdef public bint limited
    cdef public RequestHeader header
    cdef public long long responses_lost

@cython.locals(frame=Frame)
cpdef Frame new_frame(
    Py_ssize_t size, bytes data, Arrival first, Arrival last, long long stream_offset, tuple packets
)
