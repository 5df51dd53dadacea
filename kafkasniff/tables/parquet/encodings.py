# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, initializedcheck=False
"""Parquet's encodings of numbers: as few bits as they need, the lowest bits first.

https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from array import array
from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.tables.parquet.thrift import varint, zigzag

_BLOCK = 128
"""Deltas of a block; four miniblocks are one."""
_MINIBLOCK = 32
_WORD = (1 << 64) - 1
_HALF = (1 << 32) - 1
_SIGN = 1 << 31
_LONG_SIGN = 1 << 63
_MOST_BYTES = 16
"""Of the head of a block of deltas at most: the least of them, and four widths."""


def _put(view: Any, used: int, values: Any, start: int, count: int, width: int) -> int:
    """Write `count` values from `start` on with `width` bits each, zeros behind the last; give the end."""
    if width == 0:
        return used
    filled = 0
    waiting = 0
    one = 1
    for row in range(start, start + count):
        value = values[row]
        left = width
        # By halves: what waits is less than a byte, and a half more fits into a word.
        while left > 0:
            part = 32 if left > 32 else left
            waiting |= (value & ((one << part) - 1)) << filled
            value >>= part
            filled += part
            left -= part
            while filled >= 8:
                view[used] = waiting & 0xFF
                waiting >>= 8
                filled -= 8
                used += 1
    if filled > 0:
        view[used] = waiting & 0xFF
        used += 1
    return used


def _width(value: int) -> int:
    """Give how many bits a number takes that is not negative."""
    width = 0
    while value > 0:
        value >>= 1
        width += 1
    return width


def bit_packed(values: "array[int]", width: int) -> bytes:
    """Write numbers (`q`) of `width` bits as one run of the hybrid of run lengths and bits; equal ones as one value."""
    count = len(values)
    source = values
    numbers = array("Q", [0]) * count
    other = 0
    for row in range(count):
        numbers[row] = source[row]
        other |= source[row] ^ source[0]
    if other == 0:
        return run_of(values[0] if count else 0, count, width)
    out = bytearray(-(-count // 8) * width)
    _put(out, 0, numbers, 0, count, width)
    return varint(-(-count // 8) << 1 | 1) + bytes(out)


def run_of(value: int, count: int, width: int) -> bytes:
    """Write a run of one value."""
    return varint(count << 1) + value.to_bytes(-(-width // 8), "little")


def present(values: "array[int]", valid: bytearray | None, rows: int, nulls: int) -> "array[int]":
    """Give the values (`b`, `h`, `i` or `q`) of the rows that are not null, as `q`."""
    code = values.typecode
    if nulls == rows:
        return array("q")
    if code == "q":
        given = values[:rows]
    else:
        given = array("q", [0]) * rows
        wide = given
        if code == "i":
            ints = values
            for row in range(rows):
                wide[row] = ints[row]
        elif code == "h":
            shorts = values
            for row in range(rows):
                wide[row] = shorts[row]
        else:
            chars = values
            for row in range(rows):
                wide[row] = chars[row]
    if nulls == 0 or valid is None:
        return given
    found = given
    bits = valid
    count = 0
    for row in range(rows):
        found[count] = found[row]
        count += bits[row >> 3] >> (row & 7) & 1
    return given[:count]


def delta_packed(numbers: "array[int]", is_short: bool) -> bytearray:
    """Write numbers (`q`) as DELTA_BINARY_PACKED; `is_short` where they are of 32 bits, as their differences are then.

    Differences are those of two's complement: they may overflow.
    """
    found = numbers
    count = len(numbers)
    head = varint(_BLOCK) + varint(_BLOCK // _MINIBLOCK) + varint(count) + zigzag(numbers[0] if count else 0)
    out = bytearray(len(head) + -(-count // _BLOCK) * (_MOST_BYTES + (4 if is_short else 8) * _BLOCK))
    out[: len(head)] = head
    view = out
    used = len(head)
    mask = _HALF if is_short else _WORD
    deltas, offsets = array("q", [0]) * _BLOCK, array("Q", [0]) * _BLOCK
    at = 1
    while at < count:
        size = min(count - at, _BLOCK)
        least = 0
        for row in range(size):
            delta = found[at + row] - found[at + row - 1]
            if is_short:
                delta = ((delta + _SIGN) & _HALF) - _SIGN
            elif not cython.compiled:
                delta = ((delta + _LONG_SIGN) & _WORD) - _LONG_SIGN
            deltas[row] = delta
            if row == 0 or delta < least:
                least = delta
        zig = (least << 1) ^ (least >> 63)
        while zig > 0x7F:
            view[used] = zig & 0x7F | 0x80
            zig >>= 7
            used += 1
        view[used] = zig
        used += 1
        widths = used
        used += _BLOCK // _MINIBLOCK
        for mini in range(_BLOCK // _MINIBLOCK):
            first = mini * _MINIBLOCK
            most = 0
            for row in range(first, first + _MINIBLOCK):
                offset = (deltas[row] - least) & mask if row < size else 0
                offsets[row] = offset
                most |= offset
            width = _width(most)
            view[widths + mini] = width
            used = _put(view, used, offsets, first, _MINIBLOCK, width)
        at += size
    return out[:used]


def list_levels(
    ends: "array[int]", valid: bytearray | None, rows: int, depth: int
) -> tuple["array[int]", "array[int]"]:
    """Give the repetition and definition levels (`q`) of lists (`ends`: `i`) whose elements have the level `depth`.

    A null list has 0, an empty one 1. https://parquet.apache.org/docs/file-format/nestedencoding/
    """
    values = ends
    repetitions = array("q", [0]) * (rows + values[rows])
    definitions = array("q", [0]) * (rows + values[rows])
    bits = bytearray(b"\xff" * (-(-rows // 8))) if valid is None else valid
    repeated, defined = repetitions, definitions
    count = 0
    for row in range(rows):
        at = values[row]
        if at == values[row + 1]:
            defined[count] = bits[row >> 3] >> (row & 7) & 1
            count += 1
        for element in range(at, values[row + 1]):
            repeated[count] = element > at
            defined[count] = depth
            count += 1
    return repetitions[:count], definitions[:count]
