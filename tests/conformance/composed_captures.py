"""Captures composed of bytes that Kafka wrote: one connection with the calls that carry them."""

import struct
from collections.abc import Iterable
from pathlib import Path

from tests.capture.samples import pcap_header, pcap_record
from tests.tcp.conversations import ethernet, ipv4, tcp

CLIENT, SERVER = ("10.0.0.1", 51234), ("10.0.0.2", 9092)
SYN, ACK = 2, 16
SEGMENT = 1400

Exchange = tuple[bytes, bytes]
"""Request and response, each behind its size prefix."""


def text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def fetch(correlation_id: int, topic: str, records: bytes) -> Exchange:
    """Fetch v4 of one partition, answered with these records."""
    request = struct.pack(">hhi", 1, 4, correlation_id) + text("composed")
    request += struct.pack(">iiiib", -1, 500, 1, 1 << 30, 0) + struct.pack(">i", 1) + text(topic)
    request += struct.pack(">iiqi", 1, 0, 0, 1 << 30)
    answer = struct.pack(">iii", correlation_id, 0, 1) + text(topic)
    answer += struct.pack(">iihqqii", 1, 0, 0, 0, 0, -1, len(records)) + records
    return request, answer


def write(path: Path, exchanges: Iterable[Exchange]) -> None:
    """Write a capture at `path`: handshake, then one call after the other."""
    positions = [1000, 5000]
    packets = [_packet(0, [999, 0], SYN), _packet(1, [1000, 4999], SYN | ACK), _packet(0, positions, ACK)]
    for exchange in exchanges:
        for direction, message in enumerate(exchange):
            data = struct.pack(">i", len(message)) + message
            for start in range(0, len(data), SEGMENT):
                segment = data[start : start + SEGMENT]
                packets.append(_packet(direction, positions, ACK, segment))
                positions[direction] += len(segment)
    records = [
        pcap_record(packet, seconds=number // 1000, fraction=number % 1000) for number, packet in enumerate(packets)
    ]
    path.write_bytes(pcap_header() + b"".join(records))


def _packet(direction: int, positions: list[int], flags: int, data: bytes = b"") -> bytes:
    source, destination = (CLIENT, SERVER) if direction == 0 else (SERVER, CLIENT)
    segment = tcp(source[1], destination[1], positions[direction], positions[1 - direction], flags, data)
    return ethernet(ipv4(source[0], destination[0], segment))
