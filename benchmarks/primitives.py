"""Kafka's primitive types, encoded."""

import struct
from collections.abc import Iterable


def string(text: str) -> bytes:
    """Encode a STRING: int16 length and UTF-8."""
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded


def sized_bytes(data: bytes) -> bytes:
    """Encode a BYTES: int32 length and the bytes."""
    return struct.pack(">i", len(data)) + data


def array(elements: Iterable[bytes]) -> bytes:
    """Encode an ARRAY: int32 count and the elements."""
    encoded = list(elements)
    return struct.pack(">i", len(encoded)) + b"".join(encoded)


def compact_string(text: str) -> bytes:
    """Encode a COMPACT_STRING: length plus one as a varint, and UTF-8."""
    return compact_bytes(text.encode())


def compact_bytes(data: bytes) -> bytes:
    """Encode a COMPACT_BYTES: length plus one as a varint, and the bytes."""
    return unsigned_varint(len(data) + 1) + data


def compact_array(elements: Iterable[bytes]) -> bytes:
    """Encode a COMPACT_ARRAY: count plus one as a varint, and the elements."""
    encoded = list(elements)
    return unsigned_varint(len(encoded) + 1) + b"".join(encoded)


def unsigned_varint(value: int) -> bytes:
    """Encode seven bits a byte, least significant first."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
