cimport cython

@cython.final
cdef class Authentication:
    cdef bint _show_secrets, _raw
    cdef object _mechanism, _candidate
    cdef public object principal

    cpdef bint settle(self, int api_key, bint in_clear) except -1
