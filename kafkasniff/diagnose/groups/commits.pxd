# Compiled for speed: each call goes to several rules.

cimport cython
from kafkasniff.diagnose.memory cimport Rate, Tally
from kafkasniff.diagnose.seen cimport Place, SeenCall

cdef class Commits(Tally):
    cdef readonly Rate rate
    cdef readonly dict latest

    @cython.locals(
        place=Place, topic_index=Py_ssize_t, partitions=Py_ssize_t, key=tuple, again=bint, second="long long", found=list
    )
    cdef bint take(self, list places, long long now) except -1
