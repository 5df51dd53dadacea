"""Packets written anew: headers with other addresses, payload from what is known of it, right checksums."""

import re
import struct
from collections.abc import Callable
from typing import NamedTuple

from kafkasniff.scrubbing.names import Names
from kafkasniff.tcp.packets.headers import HeaderError
from kafkasniff.tcp.packets.ip import TCP, IpPacket, parse_ip
from kafkasniff.tcp.packets.link import IPV4, IPV6, by_version
from kafkasniff.tcp.packets.tunnels import open_tunnel

_ETHERNET, _SLL, _SLL2 = 1, 113, 276
_LINKS = {
    0: (0, 4, 0),
    108: (0, 4, 0),
    101: (0, 0, 0),
    228: (0, 0, 0),
    229: (0, 0, 0),
    _SLL: (6, 16, 8),
    _SLL2: (12, 20, 8),
}
"""By link type where the hardware address stands, how long the header is, and how long the address (LINKTYPE_…)."""
_HTTP_REQUEST = re.compile(rb"([A-Z]{3,7} /?)(\S*)( HTTP/1\.[01]\r\n)")
_HTTP_ANSWER = re.compile(rb"HTTP/1\.[01] \d{3} ")
_VLANS = (b"\x81\x00", b"\x88\xa8")
_NETWORKS = (b"\x08\x00", b"\x86\xdd")
"""The types of IPv4 and IPv6."""
_ROUTING, _UDP = 43, 17
_GENEVE_PORT = (6081).to_bytes(2, "big")
_MOST_NETWORKS = 4


class Header(NamedTuple):
    """A header of IP."""

    is_4: bool
    at: int
    end: int
    """Where what it carries begins."""


class Tcp(NamedTuple):
    """Where a TCP segment lies in a packet."""

    networks: tuple[Header, ...]
    """The headers of IP before it, of tunnels too: the outermost first."""
    tcp: int
    payload: int
    end: int
    """Behind what was captured of the payload."""
    length: int
    """Bytes of the payload on the wire."""
    source: bytes
    """Address and port."""
    destination: bytes
    sequence: int


def find_tcp(data: bytes, link_type: int) -> Tcp | None:
    """Find the segment in a packet; None where it has none, or has it in an IP fragment."""
    try:
        ip = _ip_header(data, link_type)
        network = None if ip is None else by_version(data, ip, len(data))
        networks: list[Header] = []
        end = wire_end = len(data)
        while network is not None and len(networks) < _MOST_NETWORKS:
            ethertype, ip = network
            packet = parse_ip(ethertype, data, ip, end, wire_end)
            # The addresses of a route in IPv6's extensions are not looked for.
            if packet.fragment or (ethertype == IPV6 and data[ip + 6] == _ROUTING):
                return None
            networks.append(Header(ethertype == IPV4, ip, packet.at))
            wire_end, end = packet.wire_end, min(end, packet.wire_end)
            if packet.protocol == TCP:
                return _segment(tuple(networks), data, packet, end)
            inner = open_tunnel(ethertype, packet.protocol, data, packet.at, end)
            network = None if inner is None else inner.network
    except (HeaderError, KeyError):
        pass
    return None


def _segment(networks: tuple[Header, ...], data: bytes, packet: IpPacket, end: int) -> Tcp | None:
    tcp = packet.at
    if tcp + 20 > end:
        return None
    payload = tcp + (data[tcp + 12] >> 4) * 4
    if not tcp + 20 <= payload <= end:
        return None
    ports = data[tcp : tcp + 2], data[tcp + 2 : tcp + 4]
    sequence = int.from_bytes(data[tcp + 4 : tcp + 8], "big")
    between = packet.source + ports[0], packet.destination + ports[1]
    return Tcp(networks, tcp, payload, end, packet.wire_end - payload, *between, sequence)


def _ip_header(data: bytes, link_type: int) -> int | None:
    """Give where the header of IP begins, behind those of the link layer that can be renamed."""
    if link_type in _LINKS:
        return _LINKS[link_type][1]
    if link_type != _ETHERNET:
        return None
    at = 12
    while data[at : at + 2] in _VLANS:
        at += 4
    return at + 2 if data[at : at + 2] in _NETWORKS else None


class Packets:
    """Writes packets anew; counts the bytes that it had to blank."""

    def __init__(self, names: Names, payload: Callable[[Tcp, bytes, int], bytes]) -> None:
        """Take addresses from `names`, and from `payload` what the captured payload of a segment is to be.

        It is given where the segment lies, the payload as it was, and its time.
        """
        self._names = names
        self._payload = payload
        self.opaque_bytes = 0

    def rewrite(self, data: bytes, original: int, link_type: int, time: int) -> bytes:
        """Give a packet anew, of which `original` bytes were on the wire."""
        found = find_tcp(data, link_type)
        made = bytearray(len(data))
        if found is None:
            ip = _ip_header(data, link_type)
            keep = 0 if ip is None else min(ip, len(data))
            made[:keep] = data[:keep]
            self._rename_link(made, link_type, keep)
            self.opaque_bytes += len(data) - keep
            return bytes(made)
        made[: found.payload] = data[: found.payload]
        self._rename_link(made, link_type, found.networks[0].at)
        made[found.payload : found.end] = self._payload(found, data[found.payload : found.end], time)
        for place, header in enumerate(found.networks):
            self._rename_network(made, header)
            if place:
                self._rename_tunnel(made, found.networks[place - 1], header.at)
        last = found.networks[-1]
        addresses = made[last.at + 12 : last.at + 20] if last.is_4 else made[last.at + 8 : last.at + 40]
        made[found.tcp + 16 : found.tcp + 18] = b"\0\0"
        segment = made[found.tcp : found.payload + found.length]
        if len(segment) == found.payload - found.tcp + found.length:
            pseudo = bytes(addresses) + struct.pack(">II", len(segment), TCP)
            made[found.tcp + 16 : found.tcp + 18] = checksum(pseudo + segment)
        return bytes(made)

    def _rename_network(self, made: bytearray, header: Header) -> None:
        """Put other addresses into a header of IP, and the right checksum."""
        at, size = (header.at + 12, 4) if header.is_4 else (header.at + 8, 16)
        for start in (at, at + size):
            made[start : start + size] = self._names.address(bytes(made[start : start + size]))
        if header.is_4:
            # Options of IP may have addresses in them; 1 is none.
            end = header.at + (made[header.at] & 15) * 4
            made[header.at + 20 : end] = b"\x01" * (end - header.at - 20)
            made[header.at + 10 : header.at + 12] = b"\0\0"
            made[header.at + 10 : header.at + 12] = checksum(made[header.at : end])

    def _rename_tunnel(self, made: bytearray, outer: Header, end: int) -> None:
        """Put other hardware addresses into what stands between two headers of IP, and no checksum of UDP."""
        start = outer.end
        if made[outer.at + (9 if outer.is_4 else 6)] == _UDP:
            made[start + 6 : start + 8] = b"\0\0"
            start += 8
            if made[start - 6 : start - 4] == _GENEVE_PORT:
                options = start + 8 + (made[start] & 0x3F) * 4
                made[start + 8 : options] = bytes(options - start - 8)
        frame = end - 14
        while bytes(made[frame + 8 : frame + 10]) in _VLANS:
            frame -= 4
        # Before it there is at least GRE's header, of four bytes with another type.
        if frame >= start + 4 and bytes(made[end - 2 : end]) in _NETWORKS:
            made[frame : frame + 6] = self._names.hardware(bytes(made[frame : frame + 6]))
            made[frame + 6 : frame + 12] = self._names.hardware(bytes(made[frame + 6 : frame + 12]))

    def _rename_link(self, made: bytearray, link_type: int, end: int) -> None:
        if link_type == _ETHERNET:
            for at in (0, 6):
                if at + 6 <= end:
                    made[at : at + 6] = self._names.hardware(bytes(made[at : at + 6]))
        else:
            at, _, size = _LINKS.get(link_type, (0, 0, 0))
            if size and at + size <= end:
                made[at : at + size] = self._names.hardware(bytes(made[at : at + size]))


def protocol_start(payload: bytes) -> bytes:
    """Give of the first bytes of a payload what tells a protocol that is not Kafka, and nothing else."""
    if payload[:1] in (b"\x14", b"\x15", b"\x16", b"\x17") and payload[1:2] == b"\x03":
        # A TLS record: type, version and length; then the type of a handshake message, or what an alert says.
        return payload[: {b"\x16": 6, b"\x15": 7 if payload[3:5] == b"\0\x02" else 5}.get(payload[:1], 5)]
    request = _HTTP_REQUEST.match(payload)
    if request is not None:
        return request[1] + b"x" * len(request[2]) + request[3]
    answer = _HTTP_ANSWER.match(payload)
    return answer[0] if answer is not None else b""


def checksum(data: bytes | bytearray) -> bytes:
    """Give the Internet checksum (RFC 1071)."""
    if len(data) % 2:
        data = bytes(data) + b"\0"
    # Sums of 16-bit words whose carry is added again are sums modulo 2^16 - 1.
    total = int.from_bytes(data, "big") % 0xFFFF
    return (~(total or (0xFFFF if any(data) else 0)) & 0xFFFF).to_bytes(2, "big")
