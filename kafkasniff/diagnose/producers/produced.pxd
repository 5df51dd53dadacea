# What other compiled modules use of produced.py.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.diagnose.facts cimport Facts
from kafkasniff.diagnose.seen cimport Produced, SeenCall
from kafkasniff.octets cimport signed32, unsigned16, unsigned32

cdef int _COMPRESSION

cpdef list produced(SeenCall seen, Facts facts)
@cython.locals(
    data=bytes, batches=list, topic=dict, item=dict, places=list, at=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
    found=Produced,
)
cdef list _read(SeenCall seen, Facts facts)
@cython.locals(found=Produced)
cdef Produced _one_batch(bytes data, Py_ssize_t start, Py_ssize_t end)
cdef Produced _several(bytes data, Py_ssize_t start, Py_ssize_t end)
