# What other compiled modules use of produced.py.

cimport cython
from kafkasniff.octets cimport signed32, unsigned16, unsigned32

cdef int _COMPRESSION

@cython.final
cdef class Produced:
    cdef public str topic, name
    cdef public long long partition, records
    cdef public bint plain
    cdef public long long producer_id, producer_epoch, base_sequence
    cdef public Py_ssize_t start, end

cpdef Produced batches_in(bytes data, Py_ssize_t start, Py_ssize_t end)
@cython.locals(found=Produced)
cdef Produced _one_batch(bytes data, Py_ssize_t start, Py_ssize_t end)
cdef Produced _several(bytes data, Py_ssize_t start, Py_ssize_t end)
