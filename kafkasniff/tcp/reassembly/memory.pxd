cimport cython

cdef Py_ssize_t _MOST_OF_STREAM, _LEAST_OF_STREAM, _MOST_IN_ALL

@cython.final
cdef class Memory:
    cdef readonly object limits, counters
    cdef public long long buffered
    cdef readonly long long arrived, most_remembered, most_buffered, reordering_packets
    cdef readonly Py_ssize_t most_of_stream
    cdef readonly dict remembering

    cpdef begin(self, stream)
    cpdef end(self, stream)
    @cython.locals(streams=Py_ssize_t)
    cdef _share_out(self)
    cpdef forget(self, long long size)
