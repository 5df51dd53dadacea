# Compiled for speed: each call goes to several rules.

cimport cython
from kafkasniff.diagnose.memory.rates cimport Rate
from kafkasniff.diagnose.memory.tallies cimport Tally
from kafkasniff.diagnose.rule cimport state_of
from kafkasniff.diagnose.seen.seen_call cimport CommittedPartition, SeenCall

@cython.final
cdef class Latest:
    cdef public str topic
    cdef public long long partition, time

cdef class Commits(Tally):
    cdef readonly Rate rate
    cdef readonly dict latest
    cdef public list in_order

    @cython.locals(
        each=CommittedPartition, topic_index=Py_ssize_t, partitions=Py_ssize_t, key=tuple, again=bint, second="long long", found=Latest,
        at=Py_ssize_t, in_order=list
    )
    cdef bint take(self, list committed, long long now) except -1
