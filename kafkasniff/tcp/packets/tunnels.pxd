cimport cython
from kafkasniff.tcp.packets.headers cimport u8, u16, u24, u32
from kafkasniff.tcp.packets.link cimport by_ethertype, by_version, ppp

cdef int _IPV4, _ETHERNET
cdef int _IPV4_IN_IP, _UDP, _IPV6_IN_IP, _GRE, _ERSPAN_II, _ERSPAN_III
cdef int _GRE_IN_UDP_PORT, _VXLAN_PORT, _VXLAN_PORT_OF_LINUX, _VXLAN_GPE_PORT, _GENEVE_PORT, _GTP_PORT, _L2TP_PORT, _TEREDO_PORT

@cython.final
cdef class Inner:
    cdef readonly tuple network
    cdef readonly str label
    cdef readonly bint separates

cpdef Inner open_tunnel(int outer, int protocol, bytes data, Py_ssize_t at, Py_ssize_t end)
@cython.locals(flags=int, protocol=int)
cdef Inner _gre(bytes data, Py_ssize_t at, Py_ssize_t end)
@cython.locals(source=int, destination=int)
cdef Inner _udp(bytes data, Py_ssize_t at, Py_ssize_t end)
cdef Inner _gtp(bytes data, Py_ssize_t at, Py_ssize_t end)
cdef Inner _l2tp(bytes data, Py_ssize_t at, Py_ssize_t end)
cdef Inner _teredo(bytes data, Py_ssize_t at, Py_ssize_t end)
