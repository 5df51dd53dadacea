# Compiled for speed: each call goes to several rules.

cimport cython
from kafkasniff.diagnose.memory.rates cimport Rate
from kafkasniff.diagnose.memory.tallies cimport Tally
from kafkasniff.diagnose.seen.seen_call cimport CommittedPartition, SeenCall

cdef class Commits(Tally):
    cdef readonly Rate rate
    cdef readonly dict latest

    @cython.locals(
        each=CommittedPartition, topic_index=Py_ssize_t, partitions=Py_ssize_t, key=tuple, again=bint, second="long long", found=list
    )
    cdef bint take(self, list committed, long long now) except -1
