# Compiled for speed; no other compiled module uses it as such.

cimport cython
from kafkasniff.calls.call cimport Call
from kafkasniff.diagnose.seen cimport Produced, SeenCall

@cython.locals(data=bytes, batches=list, topic=dict, item=dict, start=Py_ssize_t, end=Py_ssize_t)
cdef list _read(SeenCall seen)
