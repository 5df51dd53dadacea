"""What the functions that the compiler writes call: the uncommon branches, kept out of their source."""

from struct import error as struct_error
from typing import Any, Final

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import (
    ARRAY_UNPACKERS,
    MAX_ELEMENTS,
    MAX_STRING_BYTES,
    UUID_TEXTS,
    RecordsField,
    base64_text,
    json_float,
    read_unsigned_varint,
    skip_tagged_field,
)


def compact_length(data: bytes, offset: int) -> tuple[int, int]:
    """Read as a varint a length plus one, of which the first byte stands before `offset`; 0 means null."""
    length, offset = read_unsigned_varint(data, offset - 1)
    if length == -0x8000_0000:
        # One less is, in Java's int, the largest length.
        raise ProtocolError("expected a length, found one of 2^31-1", offset)
    return max(length, 0), offset


def required_compact_length(data: bytes, offset: int) -> tuple[int, int]:
    """Read a length as `compact_length` does, where null is not allowed."""
    length, offset = compact_length(data, offset)
    if length == 0:
        raise ProtocolError("expected a value, found null", offset)
    return length, offset


def string_length(data: bytes, offset: int) -> tuple[int, int]:
    """Read a string's length as `compact_length` does."""
    length, offset = compact_length(data, offset)
    if length > MAX_STRING_BYTES + 1:
        raise ProtocolError(f"expected a string of at most {MAX_STRING_BYTES} bytes", offset)
    return length, offset


def required_string_length(data: bytes, offset: int) -> tuple[int, int]:
    """Read a string's length as `compact_length` does, where null is not allowed."""
    length, offset = string_length(data, offset)
    if length == 0:
        raise ProtocolError("expected a string, found null", offset)
    return length, offset


def skip_tag_section(data: bytes, offset: int, gone: tuple[int, ...], left: int) -> tuple[int, int]:
    """Skip a section of tagged fields, of whose count the first byte stands before `offset`.

    They count as array elements, of which `left` may come; gives the offset behind them, and how many may come then.
    """
    count, offset = read_unsigned_varint(data, offset - 1)
    left -= max(count, 0)
    if left < 0:
        raise ProtocolError("expected fewer tagged fields", offset)
    for _ in range(count):
        tag, offset = read_unsigned_varint(data, offset)
        size, offset = read_unsigned_varint(data, offset)
        offset = skip_tagged_field(data, offset, tag, size, gone)
    return offset, left


NOT_DECODED: Final = (IndexError, struct_error, UnicodeDecodeError)
"""What a decoder meets beside ProtocolError when data does not decode."""

RUNTIME: Final[dict[str, Any]] = {
    "MAX_ELEMENTS": MAX_ELEMENTS,
    "NOT_DECODED": NOT_DECODED,
    "ProtocolError": ProtocolError,
    "RecordsField": RecordsField,
    "base64_text": base64_text,
    "compact_length": compact_length,
    "json_float": json_float,
    "read_unsigned_varint": read_unsigned_varint,
    "required_compact_length": required_compact_length,
    "required_string_length": required_string_length,
    "skip_tag_section": skip_tag_section,
    "skip_tagged_field": skip_tagged_field,
    "string_length": string_length,
    "uuid_text": UUID_TEXTS.__getitem__,
    **{f"unpack_array_{code}": unpackers for code, unpackers in ARRAY_UNPACKERS.items()},
}
"""The globals of a generated function."""
