# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Where in bytes a request may begin, by its size, API key and version alone."""

from collections.abc import Iterator

SHAPE_BYTES = 8
"""Bytes of a request that its shape is told by."""
_BYTES = SHAPE_BYTES


def request_shapes(run: bytearray, begin: int) -> Iterator[int]:
    """Give the places from `begin` on where bytes have the shape of a request."""
    place = next_shape(run, begin)
    while place >= 0:
        yield place
        place = next_shape(run, place + 1)


def next_shape(run: bytearray, begin: int) -> int:
    """Give the first place from `begin` on with a size of 8 to 2**28, a key below 128, a version below 32; else -1."""
    for place in range(begin, len(run) - _BYTES + 1):
        if run[place + 4] or run[place + 6] or run[place] > 0x0F or run[place + 5] > 0x7F or run[place + 7] > 0x1F:
            continue
        if run[place] or run[place + 1] or run[place + 2] or run[place + 3] > 7:
            return place
    return -1
