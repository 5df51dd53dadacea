"""Packets into the streams of connections."""

from collections.abc import Sequence
from struct import Struct
from typing import TYPE_CHECKING

from kafkasniff.capture.packets import Arrival, PacketBatch
from kafkasniff.tcp.connections import ConnectionTable
from kafkasniff.tcp.events import StreamEvent
from kafkasniff.tcp.ip import TCP
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.link import IPV4
from kafkasniff.tcp.segments import SegmentReader

if TYPE_CHECKING:  # it brings NumPy
    from kafkasniff.tcp.lives import Lives

_HEADERS = Struct(">HBxHxxHxB2x12sIIBBH")
"""EtherType, IPv4 header without options, and the TCP header's first 16 bytes."""
_HEADERS_AT = {1: 12, 113: 14}
"""Position of the EtherType by link type: Ethernet, Linux cooked capture."""
_ETHERTYPE_AND_IPV4 = 22
_RST = 4


class Reassembler:
    """Takes batches of packets and gives the events of the connections in them; reads nothing itself."""

    def __init__(self, limits: TcpLimits | None = None) -> None:
        """Start with no connection, and the default limits when none are given."""
        limits = limits or TcpLimits()
        self.counters = TcpCounters()
        self.places: list[int] | None = None
        """Of the events that `feed` gave last: numbers that rise with the packets that brought them, where the events
        themselves stand in another order, as runs do; of a run the first packet's. See `ColumnPath.places`."""
        self.lives: Sequence[Lives] = ()
        """Connections that began and ended in the batch that was fed last, which are not among the events."""
        self._column_packets = limits.column_packets
        self._reader = SegmentReader(limits, self.counters)
        self._table = ConnectionTable(limits, self.counters)

    def feed(self, batch: PacketBatch) -> list[StreamEvent]:
        """Take a batch of packets; give what it brought, beside `lives`. Raises nothing, whatever the packets hold."""
        self.lives = ()
        if len(batch) >= self._column_packets:
            return self._feed_columns(batch)
        self.places = None
        self._table.holes.turn = self.counters.packets
        counters, data, interfaces = self.counters, batch.data, batch.interfaces
        read, receive, unpack = self._reader.read, self._table.receive, _HEADERS.unpack_from
        headers_at = [_HEADERS_AT.get(interface.link_type, 1 << 62) for interface in interfaces]
        events = self._table.events = []
        numbers = batch.numbers or range(batch.first_packet, batch.first_packet + len(batch))
        columns = zip(
            numbers, batch.offsets, batch.captured, batch.original, batch.times, batch.interface_ids, strict=True
        )
        for number, at, captured, original, time, interface_id in columns:
            arrival = Arrival(time, number, interfaces[interface_id])
            counters.packets += 1
            if captured < original:
                counters.cut_packets += 1
            start = headers_at[interface_id]
            if captured >= start + _HEADERS.size:
                start += at
                ethertype, version, total, place, protocol, key, sequence, acknowledgement, header, flags, window = (
                    unpack(data, start)
                )
                if ethertype == IPV4 and version == 0x45 and protocol == TCP and not place & 0x3FFF and header >= 0x50:
                    header = (header >> 4) * 4
                    length = total - 20 - header
                    payload = start + _ETHERTYPE_AND_IPV4 + header
                    if length >= 0 and payload + length <= at + captured:
                        counters.segments += 1
                        receive(
                            key,
                            sequence,
                            acknowledgement,
                            flags,
                            data[payload : payload + length],
                            length,
                            arrival,
                        )
                        if not window and not flags & _RST:
                            self._table.note_zero_window(key)
                        continue
            segment = read(data, at, captured, original, arrival)
            if segment:
                counters.segments += 1
                receive(
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
                    self._table.note_zero_window(segment.key)
        return events

    def _feed_columns(self, batch: PacketBatch) -> list[StreamEvent]:
        # NumPy takes longer to import than a small capture to read.
        from kafkasniff.tcp.column_path import ColumnPath

        self._table.events = []
        path = ColumnPath(batch, self._reader, self.counters, self._table)
        events = path.take()
        self._table.memory.end_batch(batch)
        self.places, self.lives = path.places, path.lives
        return events

    def tick(self, now: int) -> list[StreamEvent]:
        """Give what the passing of time alone brings: all packets up to `now`, in ns since 1970, were fed.

        Where packets come as they are sent, nothing may come for long that would make a later `feed` bring it.
        """
        self.places = None
        events = self._table.events = []
        self._table.tick(now)
        return events

    def flush(self) -> list[StreamEvent]:
        """End the capture: give what was still buffered, holes as gaps, and the end of every connection."""
        self.places = None
        events = self._table.events = []
        self._reader.flush()
        self._table.flush()
        return events
