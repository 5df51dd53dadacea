"""Batches written by hand, straight from Kafka's description of the formats."""

import struct
import sys
import zlib
from collections.abc import Sequence

from crc32c import crc32c

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BASE_TIMESTAMP = 1_700_000_000_000

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}

Header = tuple[bytes, bytes | None]


def varint(value: int) -> bytes:
    """Encode a zigzag varint."""
    number = value * 2 if value >= 0 else -value * 2 - 1
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def record(
    offset_delta: int,
    key: bytes | None,
    value: bytes | None,
    headers: Sequence[Header] = (),
    timestamp_delta: int = 0,
) -> bytes:
    """Encode a record of magic 2."""
    body = b"\0" + varint(timestamp_delta) + varint(offset_delta) + _sized(key) + _sized(value) + varint(len(headers))
    body += b"".join(_sized(name) + _sized(content) for name, content in headers)
    return varint(len(body)) + body


def batch(
    records: bytes,
    count: int,
    base_offset: int = 0,
    attributes: int = 0,
    base_timestamp: int = BASE_TIMESTAMP,
    max_timestamp: int = BASE_TIMESTAMP,
    base_sequence: int = -1,
    last_offset_delta: int | None = None,
) -> bytes:
    """Encode a batch of magic 2 around records that are compressed already, if its attributes say so."""
    last = count - 1 if last_offset_delta is None else last_offset_delta
    checked = struct.pack(">hiqqqhii", attributes, last, base_timestamp, max_timestamp, -1, -1, base_sequence, count)
    checked += records
    return struct.pack(">qiibI", base_offset, 9 + len(checked), 3, 2, crc32c(checked)) + checked


def simple_batch(count: int, base_offset: int = 0) -> bytes:
    """Encode an uncompressed batch of magic 2 whose values are `value 0`, `value 1`, …."""
    return batch(b"".join(record(index, None, b"value %d" % index) for index in range(count)), count, base_offset)


def message(
    key: bytes | None, value: bytes | None, magic: int = 0, offset: int = 0, attributes: int = 0, timestamp: int = 0
) -> bytes:
    """Encode a message of magic 0 or 1."""
    checked = bytes([magic, attributes])
    if magic == 1:
        checked += struct.pack(">q", timestamp)
    for content in (key, value):
        checked += b"\xff\xff\xff\xff" if content is None else struct.pack(">i", len(content)) + content
    return struct.pack(">qiI", offset, 4 + len(checked), zlib.crc32(checked)) + checked


def _sized(content: bytes | None) -> bytes:
    return varint(-1) if content is None else varint(len(content)) + content


def sized_zstd(data: bytes) -> bytes:
    """Compress by zstd, in a frame that states its size: those of cramjam 2.9 do not."""
    return zstd.compress(data)
