cimport cython
from kafkasniff.tcp.events cimport Connection

@cython.final
cdef class ConnectionState:
    cdef public object key
    cdef public Connection connection
    cdef public tuple streams
    cdef public bint careful, holding, timed, half_open, syn_ack_seen
    cdef public object closing, reset, challenge, syn_time, sent
