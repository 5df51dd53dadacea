cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport part, unsigned16, unsigned32
from kafkasniff.tcp.packets.headers cimport u8
from kafkasniff.tcp.packets.ip cimport IpPacket, parse_ip, skip_extensions
from kafkasniff.tcp.packets.link cimport find_network

cdef int _SYN, _TCP, _END_OF_OPTIONS, _NO_OPERATION, _MSS

@cython.final
cdef class Segment:
    cdef readonly object key
    cdef readonly tuple tunnel, fragments
    cdef readonly long long sequence, acknowledgement, length
    cdef readonly int flags, window, mss
    cdef readonly bytes data

@cython.locals(kind=int, length=int)
cpdef int maximum_segment_size(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

@cython.final
cdef class SegmentReader:
    cdef object _counters, _fragments, _open_tunnel
    cdef int _depth

    cpdef Segment read(self, bytes data, Py_ssize_t at, Py_ssize_t captured, Py_ssize_t original, Arrival arrival)
    @cython.locals(packet=IpPacket, tunnel=tuple, separate=tuple, others=tuple, protocol=int, at=Py_ssize_t, ethertype=int)
    cdef Segment _unwrap(self, tuple network, bytes data, Py_ssize_t end, long long wire_end, Arrival arrival)

@cython.locals(header=int, length="long long", ends=bytes, payload=Py_ssize_t)
cdef Segment _segment(IpPacket packet, tuple separate, tuple tunnel, bytes data, Py_ssize_t at, Py_ssize_t end, long long wire_end, tuple others)
