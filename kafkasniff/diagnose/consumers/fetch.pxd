# Compiled for speed: each call goes to several rules.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.diagnose.memory.bounded cimport AnyBounded
from kafkasniff.diagnose.memory.rates cimport BusySeconds
from kafkasniff.diagnose.memory.tallies cimport Tally
from kafkasniff.diagnose.rule cimport state_of
from kafkasniff.diagnose.seen.seen_call cimport SeenCall

cdef long long _ABSENT

cdef class EmptyFetches(Tally):
    cdef readonly BusySeconds seconds
    cdef public object max_wait_ms

cdef class Sessions(Tally):
    cdef public Py_ssize_t fetches
    cdef readonly AnyBounded begun
