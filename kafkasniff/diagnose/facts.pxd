# What other compiled modules use of facts.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.diagnose.memory cimport AnyBounded
from kafkasniff.protocol.headers cimport RequestHeader

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

@cython.final
cdef class Facts:
    cdef readonly object profiles
    cdef public object repeats
    cdef AnyBounded _histories, _servers, _versions, _version_sets, _named, _groups, _topics, _brokers, _racks
    cdef AnyBounded _replicas, _erred
    cdef object _learnt

    @cython.locals(history=ConnectionHistory, header=RequestHeader)
    cpdef ConnectionHistory history(self, Call call)
    cpdef name_in(self, dict item)
    cpdef topic_called(self, str topic_id)
