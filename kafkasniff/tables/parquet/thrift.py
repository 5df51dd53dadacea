"""Structures in Thrift's compact protocol, for the headers and footers of Parquet files."""

from collections.abc import Mapping, Sequence

Value = tuple[int, bytes]
"""The protocol's number of a type, and the value."""

_TRUE, _FALSE, _BYTE, _I32, _I64, _BINARY, _LIST, _STRUCT = 1, 2, 3, 5, 6, 8, 9, 12
_SHORT_LIST = 15


def varint(value: int) -> bytes:
    """Give an unsigned number in groups of seven bits, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value: int) -> bytes:
    """Give a signed number so that those near 0 are short."""
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def flag(value: bool) -> Value:
    """Give a truth value; a struct has it in the number of the type."""
    return _TRUE if value else _FALSE, b""


def byte(value: int) -> Value:
    """Give a number of 8 bits."""
    return _BYTE, bytes((value,))


def i32(value: int) -> Value:
    """Give a number of 32 bits."""
    return _I32, zigzag(value)


def i64(value: int) -> Value:
    """Give a number of 64 bits."""
    return _I64, zigzag(value)


def binary(value: bytes) -> Value:
    """Give bytes, or text in UTF-8."""
    return _BINARY, varint(len(value)) + value


def listed(values: Sequence[Value]) -> Value:
    """Give a list of values of one type, one at least."""
    kind, length = values[0][0], len(values)
    head = bytes((length << 4 | kind,)) if length < _SHORT_LIST else bytes((0xF0 | kind,)) + varint(length)
    return _LIST, head + b"".join([data for _, data in values])


def struct(fields: Mapping[int, Value | None]) -> Value:
    """Give a struct of fields in the order of their numbers, which differ by less than 16; None is left out."""
    parts: list[bytes] = []
    before = 0
    for number, value in fields.items():
        if value is not None:
            parts += bytes(((number - before) << 4 | value[0],)), value[1]
            before = number
    return _STRUCT, b"".join((*parts, b"\0"))
