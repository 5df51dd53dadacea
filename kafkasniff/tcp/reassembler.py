# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, initializedcheck=False
"""Packets into the streams of connections."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival, PacketBatch
from kafkasniff.tcp.connections import ConnectionTable
from kafkasniff.tcp.events import StreamEvent
from kafkasniff.tcp.ip import TCP
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.segments import SegmentReader

if not cython.compiled:
    from kafkasniff.octets import part

_HEADERS = 38
"""Bytes of EtherType, IPv4 header without options, and the TCP header's first 16 bytes."""
_NETWORK_AT = {1: 12, 113: 14}
"""Position of the EtherType by link type: Ethernet, Linux cooked capture."""
_NOWHERE = 1 << 40
_RST = 4


class Reassembler:
    """Takes batches of packets and gives the events of the connections in them; reads nothing itself."""

    def __init__(self, limits: TcpLimits | None = None) -> None:
        """Start with no connection, and the default limits when none are given."""
        limits = limits or TcpLimits()
        self.counters = TcpCounters()
        self._reader = SegmentReader(limits, self.counters)
        self._table = ConnectionTable(limits, self.counters)

    def feed(self, batch: PacketBatch) -> list[StreamEvent]:
        """Take a batch of packets; give what it brought. Raises nothing, whatever the packets hold."""
        events = self._table.events = []
        table, counters, data, interfaces = self._table, self.counters, batch.data, batch.interfaces
        view = data
        offsets, captureds, originals, times = batch.offsets, batch.captured, batch.original, batch.times
        interface_ids, numbers, first = batch.interface_ids, batch.numbers, batch.first_packet
        network_at = [_NETWORK_AT.get(interface.link_type, _NOWHERE) for interface in interfaces]
        count = len(offsets)
        last_id = -1
        start = _NOWHERE
        cut = segments = 0
        for index in range(count):
            at, captured = offsets[index], captureds[index]
            if captured < originals[index]:
                cut += 1
            if interface_ids[index] != last_id:
                last_id = interface_ids[index]
                start = network_at[last_id]
            arrival = Arrival.__new__(Arrival)
            arrival.time = times[index]
            arrival.packet = first + index if numbers is None else numbers[index]
            arrival.interface = interfaces[last_id]
            if captured >= start + _HEADERS:
                ip = at + start + 2
                header = view[ip + 32] >> 4
                flags = view[ip + 33]
                if (
                    view[ip - 2] == 8
                    and view[ip - 1] == 0
                    and view[ip] == 0x45
                    and view[ip + 9] == TCP
                    and not view[ip + 6] & 0x3F
                    and not view[ip + 7]
                    and header >= 5
                ):
                    payload = ip + 20 + header * 4
                    length = (view[ip + 2] << 8 | view[ip + 3]) - 20 - header * 4
                    if length >= 0 and payload + length <= at + captured:
                        segments += 1
                        sequence = view[ip + 24]
                        sequence = sequence << 24 | view[ip + 25] << 16 | view[ip + 26] << 8 | view[ip + 27]
                        acknowledged = view[ip + 28]
                        acknowledged = acknowledged << 24 | view[ip + 29] << 16 | view[ip + 30] << 8 | view[ip + 31]
                        key = part(data, ip + 12, ip + 24)
                        table.receive(
                            key, sequence, acknowledged, flags, part(data, payload, payload + length), length, arrival
                        )
                        if not view[ip + 34] and not view[ip + 35] and not flags & _RST:
                            table.note_zero_window(key)
                        continue
            segment = self._reader.read(data, at, captured, originals[index], arrival)
            if segment is not None:
                segments += 1
                table.receive(
                    segment.key,
                    segment.sequence,
                    segment.acknowledgement,
                    segment.flags,
                    segment.data,
                    segment.length,
                    arrival,
                    segment.tunnel,
                    segment.fragments,
                )
                if not segment.window and not segment.flags & _RST:
                    table.note_zero_window(segment.key)
        counters.packets += count
        counters.cut_packets += cut
        counters.segments += segments
        return events

    def tick(self, now: int) -> list[StreamEvent]:
        """Give what the passing of time alone brings: all packets up to `now`, in ns since 1970, were fed.

        Where packets come as they are sent, nothing may come for long that would make a later `feed` bring it.
        """
        events = self._table.events = []
        self._table.tick(now)
        return events

    def flush(self) -> list[StreamEvent]:
        """End the capture: give what was still buffered, holes as gaps, and the end of every connection."""
        events = self._table.events = []
        self._reader.flush()
        self._table.flush()
        return events
