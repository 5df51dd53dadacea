# Compiled for speed: each call goes to several rules.

cimport cython
from kafkasniff.diagnose.memory.bounded cimport AnyBounded
from kafkasniff.diagnose.memory.tallies cimport Names, Tally
from kafkasniff.diagnose.rule cimport state_of
from kafkasniff.diagnose.memory.rates cimport Trend
from kafkasniff.diagnose.seen.produced cimport Produced
from kafkasniff.diagnose.seen.seen_call cimport SeenCall

@cython.locals(topics=Names)
cpdef add_topics(SeenCall seen, Tally state)

cdef long long _LATE_NS

cdef class Sizes(Tally):
    cdef readonly object window
    cdef public long long busy_ns, busy_until, latest, looked
    cdef readonly Py_ssize_t most
    cdef public Py_ssize_t single, skip
    cdef public bint fired
    cdef public double rate

    @cython.locals(is_full=bint)
    cdef bint take(self, long long sent, bint single, connection) except -1

cdef class SerialSends(Tally):
    cdef readonly long long answered, latency
    cdef readonly Py_ssize_t requests, records, overlapping
    cdef readonly Trend trend

    @cython.locals(answered="long long", latency="long long", pause="long long", batch=Produced)
    cdef bint take(self, SeenCall seen, list batches, long long longest_pause) except -1

cdef class Senders(Tally):
    cdef readonly SerialSends all
    cdef public object connection
    cdef readonly AnyBounded apart
