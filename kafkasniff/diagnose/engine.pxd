# Compiled for speed.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.diagnose.facts cimport Facts, ConnectionHistory
from kafkasniff.diagnose.memory cimport Memory
from kafkasniff.diagnose.seen cimport SeenCall
from kafkasniff.protocol.bodies.scanning cimport Scanner
from kafkasniff.protocol.headers cimport RequestHeader

@cython.final
cdef class Plan:
    cdef list take, samples
    cdef Scanner request, response
    cdef bint tells, names_groups, fingerprints, is_known

cdef class Diagnosis:
    cdef readonly Facts facts
    cdef readonly list rules
    cdef object _failed
    cdef Memory _answered
    cdef dict _plans, _by_code
    cdef list _unanswered, _serves, _waits, _stray, _begins, _token, _connection, _gap, _left, _recovers, _slow, _uses
    cdef list _elsewhere

    cdef _feed(self, item)
    @cython.locals(header=RequestHeader, history=ConnectionHistory, plan=Plan, seen=SeenCall, key=int, layout=int)
    cdef _call(self, Call call)
    cdef bint _trusted(self, Call call) except -1
