cimport cython
from kafkasniff.capture.packets cimport Arrival

@cython.locals(ends=tuple, address=str, port=int)
cpdef str endpoint_text(endpoint)

@cython.final
cdef class DirectionCounters:
    cdef public long long packets, data_bytes, retransmissions, late_retransmissions, duplicates, out_of_order
    cdef public long long gaps, gap_bytes, cut_packets, conflicts, zero_windows, mss

@cython.final
cdef class Connection:
    cdef public tuple endpoints
    cdef public long long epoch
    cdef public Arrival first, last
    cdef public object initiator, round_trip_ns, ended_by, ended_direction
    cdef public Arrival first_fin
    cdef public tuple tunnel
    cdef public tuple counters
    cdef public bytes tls_secrets
    cdef public object conversation

@cython.final
cdef class StreamData:
    cdef readonly Connection connection
    cdef readonly int direction
    cdef readonly bytes data
    cdef readonly Arrival arrival, delivered_by
    cdef readonly tuple fragments
    cdef readonly tuple contradicted

@cython.locals(event=StreamData)
cpdef StreamData new_stream_data(
    Connection connection, int direction, bytes data, Arrival arrival, Arrival delivered_by, tuple fragments
)

@cython.final
cdef class ConnectionEnd:
    cdef readonly Connection connection
    cdef readonly Arrival arrival

cdef class Receiver:
    cdef public list events

    cpdef take_segment(self, Connection connection, int direction, bytes data, long long missing, Arrival arrival)
