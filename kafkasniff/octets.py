# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Reads of big-endian numbers and of parts of bytes, each with its check against the end."""


def part(data: bytes, start: int, end: int) -> bytes:
    """Give the bytes from `start` to `end`; raises IndexError where they are not all there."""
    if not 0 <= start <= end <= len(data):
        raise IndexError("bytes behind the end")
    view = data
    return view[start:end]


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
