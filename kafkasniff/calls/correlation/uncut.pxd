cimport cython
from kafkasniff.calls.limits cimport Budget
from kafkasniff.octets cimport part
from kafkasniff.tcp.events cimport StreamData

cdef Py_ssize_t _MOST_GONE

@cython.final
cdef class UncutBytes:
    cdef Budget _budget
    cdef list _events
    cdef Py_ssize_t _head
    cdef readonly Py_ssize_t start
    cdef readonly Py_ssize_t count

    @cython.locals(length="long long")
    cpdef push(self, StreamData event, Py_ssize_t start)
    cdef StreamData first(self)
    cdef bytes peek(self, Py_ssize_t count)
    @cython.locals(start=Py_ssize_t, length=Py_ssize_t, data=bytes, event=StreamData)
    cpdef bytes cut(self, Py_ssize_t most)
    cdef pass_over(self, Py_ssize_t length)
    cdef pass_first(self)
    cpdef list rest(self)
    @cython.locals(dropped=Py_ssize_t)
    cpdef Py_ssize_t drop(self) except -1
