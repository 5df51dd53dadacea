cimport cython
from kafkasniff.calls.enrichment.authentication cimport Authentication

@cython.final
cdef class Identity:
    cdef Authentication _authentication
    cdef bint _begun, _offered
    cdef public bint raw_tokens, settled
    cdef public str security
    cdef public tuple software

    cpdef who(self)
    cpdef bint is_logging_in(self)
