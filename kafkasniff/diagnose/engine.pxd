# Compiled for speed.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.diagnose.seen.bodies cimport BodiesReader
from kafkasniff.diagnose.facts.facts cimport Facts
from kafkasniff.diagnose.facts.history cimport ConnectionHistory
from kafkasniff.diagnose.memory.bounded cimport AnyBounded
from kafkasniff.diagnose.seen.seen_call cimport SeenCall, seen_call
from kafkasniff.protocol.bodies.scanning cimport Scanner
from kafkasniff.protocol.bodies.tables cimport FieldTable
from kafkasniff.protocol.headers cimport RequestHeader

cdef int _WITH_STATES

@cython.final
cdef class Taker:
    cdef object take
    cdef int only
    cdef AnyBounded states

@cython.final
cdef class Plan:
    cdef list takers, samples, uses
    cdef Scanner request, response
    cdef FieldTable request_table, response_table
    cdef bint tells, names_groups, fingerprints, is_known

cdef class Diagnosis:
    cdef readonly Facts facts
    cdef readonly list rules
    cdef BodiesReader _reader
    cdef object _failed
    cdef AnyBounded _answered
    cdef dict _plans, _by_code
    cdef list _unanswered, _serves, _waits, _unrequested, _begins, _token, _connection, _gap, _left, _recovers, _slow
    cdef list _elsewhere

    cdef _feed(self, item)
    @cython.locals(taker=Taker, traits=int, only=int)
    cdef _give(self, list takers, SeenCall seen)
    @cython.locals(header=RequestHeader, history=ConnectionHistory, plan=Plan, seen=SeenCall, key=int, layout=int, wait="long long")
    cdef _call(self, Call call)
    cdef bint _trusted(self, Call call) except -1
