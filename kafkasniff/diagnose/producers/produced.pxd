# What other compiled modules use of produced.py.

cimport cython
from kafkasniff.diagnose.seen cimport Produced
from kafkasniff.octets cimport signed32, unsigned16, unsigned32

cdef int _COMPRESSION

cpdef Produced batches_in(bytes data, Py_ssize_t start, Py_ssize_t end)
@cython.locals(found=Produced)
cdef Produced _one_batch(bytes data, Py_ssize_t start, Py_ssize_t end)
cdef Produced _several(bytes data, Py_ssize_t start, Py_ssize_t end)
