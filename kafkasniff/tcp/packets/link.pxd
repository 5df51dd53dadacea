cimport cython
from kafkasniff.tcp.packets.headers cimport u8, u16, u32

cdef int _IPV4, _IPV6, _ETHERNET, _NSH, _MPLS
cdef int _MPLS_MULTICAST, _PPPOE_SESSION, _FABRIC_PATH, _LARGEST_LENGTH, _PPP_TUNNELLED_ETHERTYPE

cpdef tuple find_network(link_type, bytes data, Py_ssize_t at, Py_ssize_t end)
cpdef tuple by_ethertype(int ethertype, bytes data, Py_ssize_t at, Py_ssize_t end)
@cython.locals(version=int)
cpdef tuple by_version(bytes data, Py_ssize_t at, Py_ssize_t end)
@cython.locals(protocol=int)
cpdef tuple ppp(bytes data, Py_ssize_t at, Py_ssize_t end)
