# What other compiled modules use of memory.py.

from kafkasniff.capture.packets cimport Arrival

cdef class Names:
    cdef dict _names
    cdef public bint more

cdef class Addresses(Names):
    cdef str _last

cdef class Tally:
    cdef public Py_ssize_t count
    cdef public Arrival first, last
    cdef public Names clients, topics
    cdef list _beginning
    cdef str _latest
    cdef long long _number

cdef class Rate:
    cdef object _most, _window, _times
    cdef readonly Py_ssize_t peak

cdef class BusySeconds:
    cdef object _least, _wanted, _this
    cdef Py_ssize_t _count
    cdef bint _done
    cdef dict _servers
    cdef list _seconds
    cdef readonly bint fired
    cdef readonly Py_ssize_t peak

cdef class Trend:
    cdef object _count, _x, _xx, _xy, _y
