# Compiled for speed: each call goes to several rules.

from kafkasniff.diagnose.memory.tallies cimport Tally
from kafkasniff.diagnose.rule cimport state_of
from kafkasniff.diagnose.seen.produced cimport Produced
from kafkasniff.diagnose.seen.seen_call cimport SeenCall

cdef class Compressible(Tally):
    cdef public bint compressed
    cdef public Py_ssize_t bytes, sampled, samples, squeezed
