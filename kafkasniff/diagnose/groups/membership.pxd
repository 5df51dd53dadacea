# Compiled for speed: each call goes to several rules.

cimport cython
from kafkasniff.diagnose.memory.bounded cimport AnyBounded
from kafkasniff.diagnose.seen.seen_call cimport SeenCall

@cython.final
cdef class Member:
    cdef public long long last
    cdef public object session_ms, connection

    cdef bint hear(self, SeenCall seen) except -1
