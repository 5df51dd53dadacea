# What other compiled modules use of memory.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.capture.packets cimport Arrival

@cython.final
cdef class Kept:
    cdef public object state
    cdef public long long touched

cdef class AnyBounded:
    cdef dict _kept
    cdef list _oldest
    cdef Py_ssize_t _most
    cdef long long _now, _looked
    cdef public object evicted

    @cython.locals(kept=Kept)
    cpdef get(self, key)
    cpdef touch(self, key, new)
    @cython.locals(kept=Kept)
    cpdef used(self, key)
    @cython.locals(kept=Kept)
    cpdef put(self, key, state)
    @cython.locals(kept=Kept)
    cpdef pop(self, key)

cdef class Names:
    cdef dict _names
    cdef public bint more

    cpdef add(self, name)

cdef class Addresses(Names):
    cdef str _last

cdef class Tally:
    cdef public Py_ssize_t count
    cdef public Arrival first, last
    cdef public Names clients, topics
    cdef list _beginning
    cdef str _latest
    cdef long long _number

    @cython.locals(call=Call)
    cpdef add(self, Arrival arrival, str what, of=*, topic=*)

cdef class Rate:
    cdef Py_ssize_t _most
    cdef long long _window
    cdef object _times
    cdef readonly Py_ssize_t peak

    @cython.locals(count=Py_ssize_t, first="long long")
    cpdef Py_ssize_t add(self, long long time) except -1

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
