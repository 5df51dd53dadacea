"""Packets written anew: headers with other addresses, payload from what is known of it, right checksums."""

import re
import struct
from collections.abc import Callable
from typing import NamedTuple

from kafkasniff.scrubbing.names import Names

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
_TCP = 6
_FRAGMENT = 0x3FFF


class Tcp(NamedTuple):
    """Where a TCP segment lies in a packet."""

    ip: int
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
    """Find the segment in a packet; None where it has none, or has it in a fragment or a tunnel."""
    ip = _ip_header(data, link_type)
    if ip is None or ip + 20 > len(data):
        return None
    if data[ip] >> 4 == 4:
        tcp, address, size = ip + (data[ip] & 15) * 4, ip + 12, 4
        end = ip + int.from_bytes(data[ip + 2 : ip + 4], "big")
        if data[ip + 9] != _TCP or int.from_bytes(data[ip + 6 : ip + 8], "big") & _FRAGMENT:
            return None
    elif data[ip] >> 4 == 6 and ip + 40 <= len(data):
        tcp, address, size = ip + 40, ip + 8, 16
        end = tcp + int.from_bytes(data[ip + 4 : ip + 6], "big")
        if data[ip + 6] != _TCP:
            return None
    else:
        return None
    if tcp + 20 > len(data):
        return None
    payload = tcp + (data[tcp + 12] >> 4) * 4
    if payload < tcp + 20 or payload > min(end, len(data)):
        return None
    source, destination = data[address : address + size], data[address + size : address + 2 * size]
    sequence = int.from_bytes(data[tcp + 4 : tcp + 8], "big")
    ports = data[tcp : tcp + 2], data[tcp + 2 : tcp + 4]
    length = end - payload
    return Tcp(ip, tcp, payload, min(end, len(data)), length, source + ports[0], destination + ports[1], sequence)


def _ip_header(data: bytes, link_type: int) -> int | None:
    if link_type in _LINKS:
        return _LINKS[link_type][1]
    if link_type != _ETHERNET:
        return None
    at = 12
    while data[at : at + 2] in _VLANS:
        at += 4
    return at + 2 if data[at : at + 2] in (b"\x08\x00", b"\x86\xdd") else None


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
        self._rename_link(made, link_type, found.ip)
        made[found.payload : found.end] = self._payload(found, data[found.payload : found.end], time)
        size = len(found.source) - 2
        at = found.ip + (12 if size == 4 else 8)
        made[at : at + size] = self._names.address(found.source[:size])
        made[at + size : at + 2 * size] = self._names.address(found.destination[:size])
        if size == 4:
            # Options of IP may have addresses in them; 1 is none.
            made[found.ip + 20 : found.tcp] = b"\x01" * (found.tcp - found.ip - 20)
            made[found.ip + 10 : found.ip + 12] = b"\0\0"
            made[found.ip + 10 : found.ip + 12] = checksum(made[found.ip : found.tcp])
        made[found.tcp + 16 : found.tcp + 18] = b"\0\0"
        segment = made[found.tcp : found.payload + found.length]
        if len(segment) == found.payload - found.tcp + found.length:
            pseudo = bytes(made[at : at + 2 * size]) + struct.pack(">II", len(segment), _TCP)
            made[found.tcp + 16 : found.tcp + 18] = checksum(pseudo + segment)
        return bytes(made)

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
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return (~total & 0xFFFF).to_bytes(2, "big")
