cimport cython
from kafkasniff.capture.packets cimport Arrival

@cython.final
cdef class Segment:
    cdef readonly object key
    cdef readonly tuple tunnel, fragments
    cdef readonly long long sequence, acknowledgement, length
    cdef readonly int flags, window
    cdef readonly bytes data
