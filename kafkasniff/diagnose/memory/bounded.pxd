# What other compiled modules use of bounded.py.

cimport cython

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
