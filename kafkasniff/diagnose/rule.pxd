# Compiled for speed: each call goes to several rules.

cimport cython
from kafkasniff.diagnose.memory.bounded cimport AnyBounded

@cython.locals(states=AnyBounded)
cpdef state_of(rule, key)
