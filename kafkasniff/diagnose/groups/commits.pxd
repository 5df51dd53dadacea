# Compiled for speed: each call goes to several rules.

cimport cython
from kafkasniff.diagnose.memory cimport Rate, Tally
from kafkasniff.diagnose.seen cimport SeenCall

cdef class Commits(Tally):
    cdef readonly Rate rate
    cdef readonly dict latest

    @cython.locals(topic=dict, partition=dict, key=tuple, again=bint, second="long long", found=list)
    cdef bint take(self, list topics, long long now) except -1
