# What other compiled modules use of rates.py.

cimport cython

cdef class Rate:
    cdef Py_ssize_t _most
    cdef long long _window, _only
    cdef object _times
    cdef readonly Py_ssize_t peak

    @cython.locals(count=Py_ssize_t, first="long long", last="long long")
    cpdef Py_ssize_t add(self, long long time) except -1
    cdef Py_ssize_t _add_late(self, times, long long time, long long last) except -1

cdef class BusySeconds:
    cdef Py_ssize_t _least, _wanted
    cdef long long _this
    cdef Py_ssize_t _count
    cdef bint _done
    cdef dict _servers
    cdef list _seconds
    cdef readonly bint fired
    cdef readonly Py_ssize_t peak

    @cython.locals(second="long long", on=dict)
    cpdef add(self, long long time, str server, connection)

cdef class Trend:
    cdef object _count, _x, _xx, _xy, _y
