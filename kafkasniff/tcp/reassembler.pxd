cimport cython
from kafkasniff.capture.packets cimport Arrival
from kafkasniff.octets cimport part
from kafkasniff.tcp.connections cimport ConnectionTable

@cython.final
cdef class Reassembler:
    cdef readonly object counters
    cdef object _reader
    cdef ConnectionTable _table

    @cython.locals(
        view="const unsigned char[::1]", table=ConnectionTable, data=bytes, count=Py_ssize_t, index=Py_ssize_t,
        offsets="const long long[::1]", captureds="const long long[::1]", originals="const long long[::1]",
        times="const long long[::1]", interface_ids="const long long[::1]", at=Py_ssize_t, captured=Py_ssize_t,
        first="long long", last_id="long long", start=Py_ssize_t, cut="long long", segments="long long",
        arrival=Arrival, ip=Py_ssize_t, payload=Py_ssize_t, length="long long", header=int, flags=int,
        sequence="long long", acknowledged="long long", key=bytes, network_at=list,
    )
    cpdef list feed(self, batch)
