# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, initializedcheck=False
"""Packets into the streams of connections."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.events import Receiver, StreamEvent
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.segments import FIN, RST, SYN, SegmentReader
from kafkasniff.tcp.reassembly.connections import ConnectionTable
from kafkasniff.tcp.reassembly.processing import SegmentProcessor

if not cython.compiled:
    from kafkasniff.capture.packets import new_arrival
    from kafkasniff.octets import big32, part
    from kafkasniff.tcp.packets.segments import maximum_segment_size

_LINK_HEADERS = {
    **dict.fromkeys((12, 14, 101, 228, 229), (-1, 0)),
    **dict.fromkeys((0, 108), (-1, 4)),
    1: (12, 14),
    113: (14, 16),
    276: (0, 20),
}
"""Of the link types met most: where the EtherType is, -1 where IP's version tells, and the header's length."""
_ELSEWHERE = (-1, 1 << 40)
_SYN = SYN
_IPV4, _IPV6 = 0x0800, 0x86DD
_VLAN, _SERVICE_VLAN = 0x8100, 0x88A8
_IPV4_HEADER, _IPV6_HEADER, _TCP_HEADER = 20, 40, 20
_TCP = 6
_ENDING = FIN | RST
"""With window 0 they end a connection and stop nobody (so Wireshark's tcp.analysis.zero_window, too)."""


class Reassembler:
    """Takes batches of packets and gives the events of the connections in them; reads nothing itself."""

    __slots__ = ("_processor", "_reader", "_receiver", "_table", "counters", "latest")

    def __init__(self, limits: TcpLimits | None = None, receiver: Receiver | None = None) -> None:
        """Start with no connection, and the default limits when none are given.

        `receiver` takes segments that come next at once; of what it leaves, and all else, the methods give events.
        """
        limits = limits or TcpLimits()
        self.counters = TcpCounters()
        self.latest = 0
        """The latest time of a packet, in ns since 1970; packets need not come in the order of their times."""
        self._reader = SegmentReader(limits, self.counters)
        self._receiver = receiver or Receiver()
        self._table = ConnectionTable(limits, self.counters)
        self._processor = SegmentProcessor(self._table, limits, self.counters, self._receiver)

    def feed(self, batch: PacketBatch) -> list[StreamEvent]:
        """Take a batch of packets; give what it brought.

        Raises nothing, whatever the packets hold, but IndexError where a packet is said to lie outside the buffer.
        """
        events = self._begin()
        processor, counters, data, interfaces = self._processor, self.counters, batch.data, batch.interfaces
        view, size = data, len(data)
        offsets, captureds, originals, times = batch.offsets, batch.captured, batch.original, batch.times
        interface_ids, numbers, first = batch.interface_ids, batch.numbers, batch.first_packet
        count = len(offsets)
        if not count:
            return events
        last_id, interface = -1, interfaces[0]
        type_at = header = 0
        cut = segments = 0
        latest = self.latest
        for index in range(count):
            at, captured = offsets[index], captureds[index]
            end = at + captured
            # The one check of what is read through `view`, here and in `receive_ipv4`.
            if not 0 <= at <= end <= size:
                raise IndexError("a packet outside the buffer")
            if captured < originals[index]:
                cut += 1
            if interface_ids[index] != last_id:
                last_id = interface_ids[index]
                interface = interfaces[last_id]
                type_at, header = _LINK_HEADERS.get(interface.link_type, _ELSEWHERE)
            time = times[index]
            latest = max(latest, time)
            arrival = new_arrival(time, first + index if numbers is None else numbers[index], interface)
            ip = at + header
            tcp = packet_end = -1
            if ip + _IPV4_HEADER + _TCP_HEADER <= end:
                if type_at >= 0:
                    ethertype = view[at + type_at] << 8 | view[at + type_at + 1]
                    while ethertype in (_VLAN, _SERVICE_VLAN) and ip + 4 + _IPV4_HEADER + _TCP_HEADER <= end:
                        ethertype = view[ip + 2] << 8 | view[ip + 3]
                        ip += 4
                else:
                    ethertype = _IPV4 if view[ip] >> 4 == 4 else _IPV6
                if ethertype == _IPV4:
                    # Without options, and no fragment.
                    if view[ip] == 0x45 and view[ip + 9] == _TCP and not view[ip + 6] & 0x3F and not view[ip + 7]:
                        tcp = ip + _IPV4_HEADER
                        packet_end = ip + (view[ip + 2] << 8 | view[ip + 3])
                elif (
                    ethertype == _IPV6
                    and view[ip] >> 4 == 6
                    and view[ip + 6] == _TCP
                    and ip + _IPV6_HEADER + _TCP_HEADER <= end
                ):
                    tcp = ip + _IPV6_HEADER
                    packet_end = tcp + (view[ip + 4] << 8 | view[ip + 5])
            if tcp >= 0 and packet_end > tcp:
                data_offset = view[tcp + 12] >> 4
                flags = view[tcp + 13]
                payload = tcp + data_offset * 4
                length = packet_end - payload
                if data_offset >= 5 and length >= 0:
                    segments += 1
                    closed = not view[tcp + 14] and not view[tcp + 15] and not flags & _ENDING
                    mss = 0
                    if flags & _SYN:
                        mss = maximum_segment_size(data, tcp + _TCP_HEADER, min(payload, end))
                    captured = min(end - payload, length)
                    if ethertype == _IPV4 and captured >= 0:
                        processor.receive_ipv4(data, view, ip, flags, payload, captured, length, arrival)
                        if closed or mss:
                            processor.note_sender(part(data, ip + 12, ip + 24), closed, mss)
                        continue
                    source = ip + 12 if ethertype == _IPV4 else ip + 8
                    key = part(data, source, tcp) + part(data, tcp, tcp + 4)
                    sequence, acknowledged = big32(view, tcp + 4), big32(view, tcp + 8)
                    start, captured = min(payload, end), max(captured, 0)
                    processor.receive(key, sequence, acknowledged, flags, data, start, captured, length, arrival)
                    if closed or mss:
                        processor.note_sender(key, closed, mss)
                    continue
            segment = self._reader.read(data, at, captured, originals[index], arrival)
            if segment is not None:
                segments += 1
                processor.receive(
                    segment.key,
                    segment.sequence,
                    segment.acknowledgement,
                    segment.flags,
                    segment.data,
                    0,
                    len(segment.data),
                    segment.length,
                    arrival,
                    segment.tunnel,
                    segment.fragments,
                )
                closed = not segment.window and not segment.flags & _ENDING
                if closed or segment.mss:
                    processor.note_sender(segment.key, closed, segment.mss)
        self.latest = latest
        counters.packets += count
        counters.cut_packets += cut
        counters.segments += segments
        return events

    def tick(self, now: int) -> list[StreamEvent]:
        """Give what the passing of time alone brings: all packets up to `now`, in ns since 1970, were fed.

        Where packets come as they are sent, nothing may come for long that would make a later `feed` bring it.
        """
        events = self._begin()
        self._processor.tick(now)
        return events

    def flush(self) -> list[StreamEvent]:
        """End the capture: give what was still buffered, holes as gaps, and the end of every connection."""
        events = self._begin()
        self._reader.flush()
        self._table.flush()
        return events

    def _begin(self) -> list[StreamEvent]:
        """Give the list into which all that happens goes from now on."""
        events: list[StreamEvent] = []
        self._receiver.events = self._table.events = self._processor.events = events
        return events
