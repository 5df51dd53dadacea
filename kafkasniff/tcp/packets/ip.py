# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""IPv4 and IPv6 headers."""

from typing import NamedTuple

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.tcp.packets.headers import HeaderError, u8, u16, u32
from kafkasniff.tcp.packets.link import IPV4

if not cython.compiled:
    from kafkasniff.octets import part

TCP = 6

_IPV4 = IPV4
"""As a number of C."""
_FRAGMENT = 44
_AUTHENTICATION = 51


class Fragment(NamedTuple):
    """Where an IP fragment belongs."""

    identification: int
    offset: int
    """Bytes from the start of the packet's payload."""
    more: bool


@cython.no_gc
@cython.freelist(8)
@cython.final
@cython.cclass
class IpPacket:
    """An IP packet's addresses and the place of its payload."""

    __slots__ = ("at", "destination", "fragment", "protocol", "source", "wire_end")

    def begin(
        self, source: bytes, destination: bytes, protocol: int, at: int, wire_end: int, fragment: Fragment | None
    ) -> None:
        """Take what its headers say."""
        self.source = source
        self.destination = destination
        self.protocol = protocol
        self.at = at
        """Position of the payload."""
        self.wire_end = wire_end
        """Position where the payload ended on the wire; behind the captured bytes when the packet was cut."""
        self.fragment = fragment


def _ip_packet(
    source: bytes, destination: bytes, protocol: int, at: int, wire_end: int, fragment: Fragment | None
) -> IpPacket:
    """Make one, sooner than by calling the class."""
    packet = IpPacket.__new__(IpPacket)
    packet.begin(source, destination, protocol, at, wire_end, fragment)
    return packet


def parse_ip(ethertype: int, data: bytes, at: int, end: int, wire_end: int) -> IpPacket:
    """Parse the IP header at `at`; raise HeaderError when it is damaged.

    `end` is where the captured bytes end, `wire_end` where those on the wire ended.
    """
    return _parse_ipv4(data, at, end, wire_end) if ethertype == _IPV4 else _parse_ipv6(data, at, end, wire_end)


def skip_extensions(protocol: int, data: bytes, at: int, end: int) -> tuple[int, int, Fragment | None]:
    """Walk the extension headers from `at`; give the first other protocol, its position, and the fragment header."""
    while True:
        # Hop-by-hop, routing, destination options, mobility, HIP, shim6: all say their length in 8-byte units.
        if protocol in (0, 43, 60, 135, 139, 140):
            protocol, length = u8(data, at, end), (u8(data, at + 1, end) + 1) * 8
        elif protocol == _AUTHENTICATION:
            protocol, length = u8(data, at, end), (u8(data, at + 1, end) + 2) * 4
        elif protocol == _FRAGMENT:
            protocol, place, length = u8(data, at, end), u16(data, at + 2, end), 8
            if place & 0xFFF9:
                return protocol, at + 8, Fragment(u32(data, at + 4, end), place & 0xFFF8, bool(place & 1))
        else:
            return protocol, at, None
        at += length


def _parse_ipv4(data: bytes, at: int, end: int, wire_end: int) -> IpPacket:
    first = u8(data, at, end)
    header = (first & 15) * 4
    if first >> 4 != 4 or header < 20 or at + header > end:
        raise HeaderError
    total = u16(data, at + 2, end)
    # Segmentation offload leaves 0 where the length exceeds 65,535 (Linux BIG TCP) or was left to the card.
    packet_end = at + total if total else wire_end
    if packet_end < at + header:
        raise HeaderError
    place = u16(data, at + 6, end)
    fragment = None
    if place & 0x3FFF:
        fragment = Fragment(u16(data, at + 4, end), (place & 0x1FFF) * 8, bool(place & 0x2000))
    protocol, payload = data[at + 9], at + header
    if protocol == _AUTHENTICATION and not fragment:
        protocol, payload, _ = skip_extensions(protocol, data, payload, end)
    return _ip_packet(
        part(data, at + 12, at + 16), part(data, at + 16, at + 20), protocol, payload, packet_end, fragment
    )


def _parse_ipv6(data: bytes, at: int, end: int, wire_end: int) -> IpPacket:
    if at + 40 > end or data[at] >> 4 != 6:
        raise HeaderError
    length = u16(data, at + 4, end)
    # 0: a jumbogram (RFC 2675), or segmentation offload.
    packet_end = at + 40 + length if length else wire_end
    protocol, payload, fragment = skip_extensions(data[at + 6], data, at + 40, min(end, packet_end))
    return _ip_packet(
        part(data, at + 8, at + 24), part(data, at + 24, at + 40), protocol, payload, packet_end, fragment
    )
