cimport cython
from kafkasniff.calls.resync.held cimport HeldStream

@cython.final
cdef class BoundarySearch:
    cdef readonly HeldStream held
    cdef object _refused, _lone_responses
    cdef long long _scanned
    cdef dict _open
    cdef set _known_ids

    cpdef find_request(self, score, bint again)
    cpdef find_response(self, score, bint again, wanted_ids)
