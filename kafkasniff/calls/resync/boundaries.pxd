cimport cython
from kafkasniff.calls.limits cimport Budget
from kafkasniff.calls.resync.lost_ids cimport LostIds

@cython.final
cdef class Boundaries:
    cdef int _client
    cdef long long _limit
    cdef Budget _budget
    cdef object _pairing
    cdef bint _ended
    cdef readonly bint searching
    cdef public list searches
    cdef public set client_ids
    cdef public str last_client_id
    cdef public long long request_id, answer_id
    cdef public LostIds lost_ids

    cpdef know_client(self, client_id)
    cpdef begin(self, int direction)
    cpdef end(self)
    cpdef bint is_plausible(self, int direction, size, bytes start) except -1
