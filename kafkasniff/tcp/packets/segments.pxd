cimport cython
from kafkasniff.capture.packets cimport Arrival

@cython.final
cdef class Segment:
    cdef readonly object key
    cdef readonly tuple tunnel, fragments
    cdef readonly long long sequence, acknowledgement, length
    cdef readonly int flags, window, mss
    cdef readonly bytes data

@cython.locals(kind=int, length=int)
cpdef int maximum_segment_size(bytes data, Py_ssize_t at, Py_ssize_t end) except -1
