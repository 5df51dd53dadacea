# What other compiled modules use of repeats.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.calls.frame cimport Frame
from kafkasniff.protocol.headers cimport RequestHeader
from kafkasniff.render.text.summaries.known cimport kafkasniff_equal_from

@cython.final
cdef class Repeats:
    cdef list last, written, turns
    cdef dict numbers
    cdef long long[::1] sizes
    cdef Call taken
    cdef Py_ssize_t place

    @cython.locals(header=RequestHeader, request=Frame)
    cpdef Call take(self, Call call)
    cdef Py_ssize_t number_of(self, str text) except -1
    cpdef int note_sound(self, Call call) except -1
    @cython.locals(request=Frame)
    cdef Call take_write(self, Call call, RequestHeader header)
    @cython.locals(one=RequestHeader, other=RequestHeader, first=Frame, second=Frame)
    cdef bint is_same(self, Call earlier, Call call) except -1
    @cython.locals(response=Frame, header=RequestHeader, request=Frame)
    cdef bint has_failed(self, Call earlier, Call call) except -1
