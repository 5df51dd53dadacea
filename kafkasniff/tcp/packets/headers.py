# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Reading header fields within a packet's bounds."""


class HeaderError(Exception):
    """A header runs past the captured bytes or contradicts itself; does not leave the tcp layer."""


def u8(data: bytes, at: int, end: int) -> int:
    """Read one byte at `at`; raise HeaderError when it lies at or past `end`."""
    if at >= end:
        raise HeaderError
    return data[at]


def u16(data: bytes, at: int, end: int) -> int:
    """Read a big-endian 16-bit number; raise HeaderError when it runs past `end`."""
    if at + 2 > end:
        raise HeaderError
    return data[at] << 8 | data[at + 1]


def u24(data: bytes, at: int, end: int) -> int:
    """Read a big-endian 24-bit number; raise HeaderError when it runs past `end`."""
    if at + 3 > end:
        raise HeaderError
    return data[at] << 16 | data[at + 1] << 8 | data[at + 2]


def u32(data: bytes, at: int, end: int) -> int:
    """Read a big-endian 32-bit number; raise HeaderError when it runs past `end`."""
    if at + 4 > end:
        raise HeaderError
    return int.from_bytes(data[at : at + 4], "big")
