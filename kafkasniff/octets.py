# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Reads of big-endian numbers and of parts of bytes, each with its check against the end."""

_TWO_31 = 1 << 31
_TWO_32 = 1 << 32


def part(data: bytes, start: int, end: int) -> bytes:
    """Give the bytes from `start` to `end`; raises IndexError where they are not all there."""
    if not 0 <= start <= end <= len(data):
        raise IndexError("bytes behind the end")
    view = data
    return view[start:end]


def is_at(data: bytes, at: int, wanted: bytes, length: int) -> bool:
    """Tell whether the `length` bytes at a place, all of which must be there, are those wanted; raises IndexError."""
    if not 0 <= at <= at + length <= len(data):
        raise IndexError("bytes behind the end")
    if len(wanted) != length:
        return False
    view = data
    expected = wanted
    index = 0
    while index < length and view[at + index] == expected[index]:
        index += 1
    return index == length


def unsigned16(data: bytes, at: int) -> int:
    """Read two bytes as an unsigned number; raises IndexError."""
    if at < 0 or at + 2 > len(data):
        raise IndexError("bytes behind the end")
    view = data
    return view[at] << 8 | view[at + 1]


def unsigned32(data: bytes, at: int) -> int:
    """Read four bytes as an unsigned number; raises IndexError."""
    if at < 0 or at + 4 > len(data):
        raise IndexError("bytes behind the end")
    view = data
    value = view[at]
    return value << 24 | view[at + 1] << 16 | view[at + 2] << 8 | view[at + 3]


def signed32(data: bytes, at: int) -> int:
    """Read four bytes as a signed number; raises IndexError."""
    value = unsigned32(data, at)
    return value - _TWO_32 if value >= _TWO_31 else value
