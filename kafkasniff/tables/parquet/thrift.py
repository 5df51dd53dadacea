"""Thrift's compact protocol, as far as Parquet's headers need it.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from collections.abc import Sequence
from typing import NamedTuple

TRUE, BYTE, I32, I64, BINARY, LIST, STRUCT = 1, 3, 5, 6, 8, 9, 12
_LONG_LIST = 15


class Value(NamedTuple):
    """A value as it is written."""

    kind: int
    raw: bytes


def varint(number: int) -> bytes:
    """Write a number that is not negative in as many groups of seven bits as it needs, the lowest first."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def zigzag(number: int) -> bytes:
    """Write a signed number of 64 bits at most."""
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def i32(number: int) -> Value:
    """Give a number of 32 bits."""
    return Value(I32, zigzag(number))


def i64(number: int) -> Value:
    """Give a number of 64 bits."""
    return Value(I64, zigzag(number))


def byte(number: int) -> Value:
    """Give a number of 8 bits."""
    return Value(BYTE, bytes((number,)))


def text(value: str) -> Value:
    """Give a text."""
    raw = value.encode()
    return Value(BINARY, varint(len(raw)) + raw)


def true() -> Value:
    """Give the truth value that is true; as a field it has no bytes."""
    return Value(TRUE, b"")


def list_of(kind: int, values: Sequence[Value]) -> Value:
    """Give a list."""
    size = len(values)
    begin = bytes((size << 4 | kind,)) if size < _LONG_LIST else bytes((0xF0 | kind,)) + varint(size)
    return Value(LIST, begin + b"".join(value.raw for value in values))


def struct(fields: dict[int, Value]) -> Value:
    """Give a struct of fields by their ids, the lowest first."""
    parts, last = [], 0
    for field, value in fields.items():
        parts.append(bytes((field - last << 4 | value.kind,)) + value.raw)
        last = field
    return Value(STRUCT, b"".join(parts) + b"\0")
