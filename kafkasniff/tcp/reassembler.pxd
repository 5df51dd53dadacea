cimport cython
from kafkasniff.capture.packets cimport Arrival, new_arrival
from kafkasniff.octets cimport big32, part
from kafkasniff.tcp.events cimport Receiver
from kafkasniff.tcp.packets.segments cimport Segment, SegmentReader, maximum_segment_size
from kafkasniff.tcp.reassembly.connections cimport ConnectionTable
from kafkasniff.tcp.reassembly.processing cimport SegmentProcessor

cdef int _IPV4, _IPV6, _VLAN, _SERVICE_VLAN, _TCP, _ENDING, _SYN
cdef Py_ssize_t _IPV4_HEADER, _IPV6_HEADER, _TCP_HEADER

@cython.final
cdef class Reassembler:
    cdef readonly object counters
    cdef readonly long long latest
    cdef SegmentReader _reader
    cdef Receiver _receiver
    cdef ConnectionTable _table
    cdef SegmentProcessor _processor

    @cython.locals(
        view="const unsigned char*", size=Py_ssize_t, processor=SegmentProcessor, data=bytes, count=Py_ssize_t, index=Py_ssize_t,
        offsets="const long long[::1]", captureds="const long long[::1]", originals="const long long[::1]",
        times="const long long[::1]", interface_ids="const long long[::1]", numbers="const long long[::1]",
        at=Py_ssize_t, captured=Py_ssize_t, end=Py_ssize_t, first="long long", last_id="long long",
        type_at=Py_ssize_t, header=Py_ssize_t, cut="long long", segments="long long", time="long long", latest="long long", arrival=Arrival, ip=Py_ssize_t,
        tcp=Py_ssize_t, packet_end=Py_ssize_t, ethertype=int, data_offset=int, flags=int, payload=Py_ssize_t,
        length="long long", sequence="long long", acknowledged="long long", closed=bint, mss=int, key=bytes, segment=Segment,
        source=Py_ssize_t, start=Py_ssize_t,
    )
    cpdef list feed(self, batch)
