# What other compiled modules use of facts.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.diagnose.facts.history cimport ConnectionHistory
from kafkasniff.diagnose.memory.bounded cimport AnyBounded
from kafkasniff.protocol.headers cimport RequestHeader

@cython.final
cdef class Facts:
    cdef readonly object profiles
    cdef public object repeats
    cdef AnyBounded _histories, _servers, _versions, _version_sets, _named, _groups, _topics, _brokers, _racks
    cdef AnyBounded _replicas, _erred
    cdef object _known

    @cython.locals(history=ConnectionHistory, header=RequestHeader)
    cpdef ConnectionHistory history(self, Call call)
    cpdef name_in(self, dict item)
    cpdef topic_called(self, str topic_id)
