cimport cython
from kafkasniff.octets cimport part
from kafkasniff.tcp.packets.headers cimport u8, u16, u32

cdef int _IPV4, _FRAGMENT, _AUTHENTICATION

@cython.final
cdef class IpPacket:
    cdef readonly bytes source, destination
    cdef readonly int protocol
    cdef readonly Py_ssize_t at
    cdef readonly long long wire_end
    cdef readonly object fragment

    cdef int begin(self, bytes source, bytes destination, int protocol, Py_ssize_t at, long long wire_end, fragment) except -1

@cython.locals(packet=IpPacket)
cdef IpPacket _ip_packet(bytes source, bytes destination, int protocol, Py_ssize_t at, long long wire_end, fragment)
cpdef IpPacket parse_ip(int ethertype, bytes data, Py_ssize_t at, Py_ssize_t end, long long wire_end)
@cython.locals(length=Py_ssize_t)
cpdef tuple skip_extensions(int protocol, bytes data, Py_ssize_t at, Py_ssize_t end)
@cython.locals(first=int, header=Py_ssize_t, total="long long", packet_end="long long", place=int, protocol=int, payload=Py_ssize_t)
cdef IpPacket _parse_ipv4(bytes data, Py_ssize_t at, Py_ssize_t end, long long wire_end)
@cython.locals(length="long long", packet_end="long long")
cdef IpPacket _parse_ipv6(bytes data, Py_ssize_t at, Py_ssize_t end, long long wire_end)
