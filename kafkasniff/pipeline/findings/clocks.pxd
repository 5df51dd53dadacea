# Compiled for speed.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.protocol.headers cimport RequestHeader

@cython.final
cdef class Shared:
    cdef public dict times

    @cython.locals(header=RequestHeader, request=Frame, response=Frame)
    cpdef take_call(self, Call call)
    cpdef take_connection(self, report)
    cdef _take(self, str seen, long long size, tuple times)
