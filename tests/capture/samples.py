"""Captures made by hand from the format specifications, for the tests of the capture layer."""

import io
import struct
from collections.abc import Iterable

from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import PacketBatch

ETHERNET = 1


def pcap_header(
    order: str = "<",
    magic: int = 0xA1B2C3D4,
    version: tuple[int, int] = (2, 4),
    snap_length: int = 262_144,
    network: int = ETHERNET,
) -> bytes:
    return struct.pack(order + "IHHiIII", magic, *version, 0, 0, snap_length, network)


def pcap_record(
    data: bytes,
    seconds: int = 1,
    fraction: int = 0,
    order: str = "<",
    original: int | None = None,
    padding: bytes = b"",
) -> bytes:
    lengths = len(data), len(data) if original is None else original
    return struct.pack(order + "IIII", seconds, fraction, *lengths) + padding + data


def block(block_type: int, body: bytes, order: str = "<") -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", 12 + len(body))
    return struct.pack(order + "I", block_type) + length + body + length


def option(code: int, value: bytes, order: str = "<") -> bytes:
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(order: str = "<", major: int = 1) -> bytes:
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, major, 0, -1), order)


def interface(link_type: int = ETHERNET, snap_length: int = 0, options: bytes = b"", order: str = "<") -> bytes:
    return block(1, struct.pack(order + "HHI", link_type, 0, snap_length) + options, order)


def enhanced(
    data: bytes, ticks: int = 0, number: int = 0, order: str = "<", original: int | None = None, options: bytes = b""
) -> bytes:
    original = len(data) if original is None else original
    fields = struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), original)
    return block(6, fields + data + bytes(-len(data) % 4) + options, order)


def contents(batches: Iterable[PacketBatch]) -> list[bytes]:
    """Give the captured bytes of each packet."""
    return [
        batch.data[offset : offset + captured]
        for batch in batches
        for offset, captured in zip(batch.offsets, batch.captured, strict=True)
    ]


def read(data: bytes, chunk_bytes: int = 1 << 20) -> tuple[list[PacketBatch], CaptureReader]:
    reader = CaptureReader(io.BytesIO(data), chunk_bytes=chunk_bytes)
    return list(reader), reader
