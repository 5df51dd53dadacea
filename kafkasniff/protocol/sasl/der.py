"""DER (X.690), as much of it as Kerberos messages need: tags of one byte."""

from typing import NamedTuple

from kafkasniff.protocol.errors import ProtocolError

_LONG_LENGTH = 0x80
_MOST_LENGTH_BYTES = 4
_MOST_ELEMENTS = 64
_MOST_INTEGER_BYTES = 8
_MOST_HEX_BYTES = 32


class Element(NamedTuple):
    """A value with its tag."""

    tag: int
    content: bytes
    end: int
    """Offset in the data behind it."""


def read_element(data: bytes, offset: int = 0) -> Element:
    """Read the element that begins at `offset`; raises ProtocolError when it is not whole."""
    try:
        tag, length = data[offset], data[offset + 1]
    except IndexError:
        raise ProtocolError("expected a DER element, found the end", offset) from None
    start = offset + 2
    if length >= _LONG_LENGTH:
        size = length - _LONG_LENGTH
        if not 1 <= size <= _MOST_LENGTH_BYTES:
            raise ProtocolError(f"expected a length of 1 to {_MOST_LENGTH_BYTES} bytes, found {size}", offset + 1)
        length = int.from_bytes(data[start : start + size])
        start += size
    if length > len(data) - start:
        raise ProtocolError(f"expected {length} bytes, found {len(data) - start}", offset)
    return Element(tag, data[start : start + length], start + length)


def read_elements(data: bytes) -> list[Element]:
    """Read the elements that follow each other in the content of a SEQUENCE; raises ProtocolError."""
    elements: list[Element] = []
    offset = 0
    while offset < len(data):
        if len(elements) == _MOST_ELEMENTS:
            raise ProtocolError(f"expected at most {_MOST_ELEMENTS} DER elements, found more", offset)
        elements.append(read_element(data, offset))
        offset = elements[-1].end
    return elements


def integer(content: bytes) -> int | str:
    """Give an INTEGER's value; of one that 64 bits do not hold hexadecimal text, cut where it is long."""
    # Neither JSON nor Python's str() takes integers of any length.
    if len(content) <= _MOST_INTEGER_BYTES:
        return int.from_bytes(content, signed=True)
    more = f"… ({len(content)} bytes)" if len(content) > _MOST_HEX_BYTES else ""
    return f"0x{content[:_MOST_HEX_BYTES].hex()}{more}"
