# What other compiled modules use of history.py.

cimport cython

cdef long long _SECOND

@cython.locals(last="long long")
cpdef bint is_sample(dict sampled, int api_key, long long now) except -1

@cython.final
cdef class ConnectionHistory:
    cdef public object client_id, client, waits, erred, principal
    cdef public long long answered, muted_until, largest, largest_answer, latest_answer
    cdef public bint named, served
    cdef public long long layout
    cdef unsigned long long _used, _used_too
    cdef dict _sampled

    cpdef bint is_due(self, int api_key, long long now) except -1

    cpdef bint first_of(self, int api_key)
    cpdef bint used(self, int api_key)
