cimport cython

@cython.final
cdef class CallOptions:
    cdef public bint show_secrets, keep_packets, fetch_sessions
    cdef public object context
    cdef public dict kafka_servers
