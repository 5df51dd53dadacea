# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Reads of big-endian numbers and of parts of bytes, each with its check against the end."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

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
    return len(wanted) == length and is_same(data, at, wanted, length)


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
    return big32(view, at)


def signed32(data: bytes, at: int) -> int:
    """Read four bytes as a signed number; raises IndexError."""
    if at < 0 or at + 4 > len(data):
        raise IndexError("bytes behind the end")
    view = data
    value = big32(view, at)
    return value - _TWO_32 if value >= _TWO_31 else value


if not cython.compiled:

    def is_same(view: bytes, at: int, wanted: bytes, length: int) -> bool:
        """Tell whether `length` bytes at a place, of which the caller knows that they are there, are those wanted."""
        return view[at : at + length] == wanted[:length]

    def big32(view: bytes, at: int) -> int:
        """Read four bytes, of which the caller knows that they are there, as an unsigned number."""
        return int.from_bytes(view[at : at + 4], "big")
