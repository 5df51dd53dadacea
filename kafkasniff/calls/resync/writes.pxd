cimport cython
from kafkasniff.calls.correlation.segments cimport LargestSegments

@cython.final
cdef class Writes:
    cdef long long _last, _start
    cdef bytes _data
    cdef LargestSegments _largest
    cdef set _begin

    cpdef go_on(self, long long last, LargestSegments largest)
    @cython.locals(last="long long", length="long long")
    cpdef add(self, long long place, bytes data, Py_ssize_t start=*)
    cpdef cut(self, long long count)
    cpdef lose(self)
    cpdef bint begin_at(self, place) except -1
    cpdef bint are_tiny(self) except -1
    cpdef drop_before(self, long long place)
    @cython.locals(last="long long", largest=LargestSegments)
    cdef bint _was_full(self, long long following) except -1
