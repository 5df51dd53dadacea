# What other compiled modules use of known.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.protocol.headers cimport RequestHeader

cdef extern from *:
    """
    #include <string.h>

    /* Whether two bytes objects are as long, and equal from a place on. */
    static inline int kafkasniff_equal_from(PyObject *one, PyObject *other, ptrdiff_t start) {
        ptrdiff_t size = PyBytes_GET_SIZE(one);
        return size == PyBytes_GET_SIZE(other) && (size <= start
            || memcmp(PyBytes_AS_STRING(one) + start, PyBytes_AS_STRING(other) + start, size - start) == 0);
    }
    """
    bint kafkasniff_equal_from(bytes one, bytes other, Py_ssize_t start)

@cython.final
cdef class KnownSummary:
    cdef int api_key, api_version
    cdef bytes request, response, text

@cython.final
cdef class KnownSummaries:
    cdef list slots

    cdef bint may_repeat(self, Call call) except -1
    cdef bytes find(self, Call call)
    cdef int keep(self, Call call, bytes text) except -1
