# Compiled for speed: each call goes to several rules.

from kafkasniff.diagnose.memory cimport Tally
from kafkasniff.diagnose.seen cimport Produced, SeenCall

cdef class Compressible(Tally):
    cdef public bint compressed
    cdef public Py_ssize_t bytes, sampled, samples, squeezed
