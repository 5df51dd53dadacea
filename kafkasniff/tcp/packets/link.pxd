cimport cython
from kafkasniff.tcp.packets.headers cimport u8, u16, u32

cpdef tuple find_network(link_type, bytes data, Py_ssize_t at, Py_ssize_t end)
cpdef tuple by_ethertype(int ethertype, bytes data, Py_ssize_t at, Py_ssize_t end)
cpdef tuple by_version(bytes data, Py_ssize_t at, Py_ssize_t end)
@cython.locals(protocol=int)
cpdef tuple ppp(bytes data, Py_ssize_t at, Py_ssize_t end)
