# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""From a captured frame to the TCP segment within."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.fragments import Fragments
from kafkasniff.tcp.packets.headers import HeaderError, u8
from kafkasniff.tcp.packets.ip import TCP, IpPacket, parse_ip, skip_extensions
from kafkasniff.tcp.packets.link import Network, find_network
from kafkasniff.tcp.reassembly.flow_keys import FlowKey

if TYPE_CHECKING:
    from kafkasniff.tcp.packets.tunnels import Inner
if not cython.compiled:
    from kafkasniff.octets import part, unsigned16, unsigned32

FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10
"""Flags of TCP headers (RFC 9293, 3.1)."""

_SYN, _TCP = SYN, TCP
"""As numbers of C."""
_END_OF_OPTIONS, _NO_OPERATION, _MSS = 0, 1, 2
"""Kinds of TCP options (RFC 9293, 3.2)."""


@cython.no_gc
@cython.freelist(8)
@cython.final
@cython.cclass
class Segment:
    """A TCP segment."""

    __slots__ = (
        "acknowledgement",
        "data",
        "flags",
        "fragments",
        "key",
        "length",
        "mss",
        "sequence",
        "tunnel",
        "window",
    )

    def __init__(
        self,
        key: FlowKey,
        tunnel: tuple[str, ...],
        sequence: int,
        acknowledgement: int,
        flags: int,
        data: bytes,
        length: int,
        fragments: tuple[Arrival, ...],
        window: int = 1,
        mss: int = 0,
    ) -> None:
        """Take what its headers say."""
        self.key = key
        self.tunnel = tunnel
        self.sequence = sequence
        self.acknowledgement = acknowledgement
        self.flags = flags
        self.data = data
        """The captured payload."""
        self.length = length
        """Bytes of the payload on the wire."""
        self.fragments = fragments
        """The other packets that carried it, when IP fragments were joined."""
        self.window = window
        """The window field as it stands, not scaled; what is not 0 lets the peer send."""
        self.mss = mss
        """The maximum segment size that a SYN names in bytes, 0 for none."""


def maximum_segment_size(data: bytes, at: int, end: int) -> int:
    """Give the maximum segment size among the TCP options from `at` to `end` (RFC 9293, 3.2); 0 where there is none."""
    while at + 4 <= end:
        kind, length = data[at], data[at + 1]
        if kind == _MSS:
            return data[at + 2] << 8 | data[at + 3] if length == 4 else 0
        if kind == _END_OF_OPTIONS or (kind != _NO_OPERATION and length < 2):
            break
        at += 1 if kind == _NO_OPERATION else length
    return 0


class SegmentReader:
    """Takes captured frames apart, down to the innermost IP packet."""

    __slots__ = ("_counters", "_depth", "_fragments", "_open_tunnel")

    def __init__(self, limits: TcpLimits, counters: TcpCounters) -> None:
        """Count into `counters`."""
        self._depth = limits.depth
        self._counters = counters
        self._fragments = Fragments(limits, counters)
        self._open_tunnel: Callable[[int, int, bytes, int, int], Inner | None] | None = None
        """Imported with the first packet that is not TCP."""

    def read(self, data: bytes, at: int, captured: int, original: int, arrival: Arrival) -> Segment | None:
        """Give the TCP segment in the frame at `at`; None when there is none, or it waits for other IP fragments.

        `captured` and `original` are the frame's bytes in `data` and on the wire.
        """
        try:
            network = find_network(arrival.interface.link_type, data, at, at + captured)
        except KeyError:
            unknown = self._counters.unknown_link_types
            unknown[arrival.interface.link_type] = unknown.get(arrival.interface.link_type, 0) + 1
            return None
        except HeaderError:
            self._counters.malformed += captured >= original
            return None
        if network is None:
            self._counters.not_ip += 1
            return None
        try:
            return self._unwrap(network, data, at + captured, at + original, arrival)
        except HeaderError:
            self._counters.malformed += captured >= original
            return None

    def flush(self) -> None:
        """Drop the fragments that still wait."""
        self._fragments.flush()

    def _unwrap(self, network: Network, data: bytes, end: int, wire_end: int, arrival: Arrival) -> Segment | None:
        tunnel: tuple[str, ...] = ()
        separate: tuple[str, ...] = ()
        others: tuple[Arrival, ...] = ()
        for _ in range(1 + self._depth):
            if network is None:
                self._counters.not_ip += 1
                return None
            ethertype, at = network
            packet = parse_ip(ethertype, data, at, end, wire_end)
            protocol, at, wire_end = packet.protocol, packet.at, packet.wire_end
            end = min(end, wire_end)
            if packet.fragment:
                key: Hashable = (separate, packet.source, packet.destination, protocol, packet.fragment.identification)
                joined = self._fragments.add(key, packet.fragment, data[at:end], wire_end - at, arrival)
                if joined is None:
                    return None
                data, end, wire_end, others = joined.data, len(joined.data), joined.length, others + joined.others
                protocol, at, _fragment = skip_extensions(protocol, data, 0, end)
            if protocol == _TCP:
                return _segment(packet, separate, tunnel, data, at, end, wire_end, others)
            if self._open_tunnel is None:
                from kafkasniff.tcp.packets.tunnels import open_tunnel

                self._open_tunnel = open_tunnel
            inner = self._open_tunnel(ethertype, protocol, data, at, end)
            if inner is None:
                self._counters.not_tcp += 1
                return None
            network = inner.network
            tunnel = (*tunnel, inner.label)
            if inner.separates:
                separate = (*separate, inner.label)
        self._counters.reach(f"packet left out: more than {self._depth} tunnels within each other")
        return None


def _segment(
    packet: IpPacket,
    separate: tuple[str, ...],
    tunnel: tuple[str, ...],
    data: bytes,
    at: int,
    end: int,
    wire_end: int,
    others: tuple[Arrival, ...],
) -> Segment:
    header = (u8(data, at + 12, end) >> 4) * 4
    length = wire_end - at - header
    if at + 20 > end or header < 20 or length < 0:
        raise HeaderError
    ends = packet.source + packet.destination + part(data, at, at + 4)
    payload = min(at + header, end)
    return Segment(
        (separate, ends) if separate else ends,
        tunnel,
        unsigned32(data, at + 4),
        unsigned32(data, at + 8),
        data[at + 13],
        part(data, payload, end),
        length,
        others,
        unsigned16(data, at + 14),
        maximum_segment_size(data, at + 20, payload) if data[at + 13] & _SYN else 0,
    )
