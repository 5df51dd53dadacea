cimport cython

@cython.final
cdef class Authentication:
    cdef bint _show_secrets, _raw
    cdef object _mechanism, _candidate
    cdef public object principal
