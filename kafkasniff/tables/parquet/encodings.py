# cython: language_level=3, annotation_typing=False, boundscheck=False, wraparound=False, initializedcheck=False
"""Parquet's encodings of numbers: runs, bits, and differences (parquet-format, Encodings.md).

Places are not compared with the ends of buffers one by one: whether these are long enough is asked where they come in.
"""

from array import array
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.tables.parquet.thrift import varint, zigzag

_BLOCK = 128
_PART = 32
"""Differences in a block, and in each of its parts, which have one width in bits each."""
_LONGEST = 10
"""Bytes of a number of 64 bits in groups of seven."""
_WIDEST = 56
"""Bits of a number that are gathered with up to seven others in 64; wider ones take eight bytes."""


@cython.final
@cython.cclass
class Numbers:
    """The numbers of a column without its nulls, or the levels of one; used again for the next column."""

    def __init__(self) -> None:
        """Begin without numbers."""
        self.count = 0
        self.least = self.most = 0
        self._values = array("q")
        self._room = bytearray(1)

    def _make_room(self, count: int) -> None:
        if len(self._values) < count:
            self._values = array("q", bytes(8 * count))
        self.count = 0

    def take(self, kind: str, values: Any, valid: Any, rows: int) -> None:
        """Take the first `rows` values of a buffer, as Arrow lays those of a kind out, but for nulls."""
        _check(valid, rows)
        if len(values) < ((rows + 7) // 8 if kind == "bool" else rows):
            raise IndexError(f"expected {rows} values, found {len(values)}")
        self._make_room(rows)
        out = self._values
        has_nulls = valid is not None
        bits = valid if has_nulls else b"\0"
        at = 0
        if kind == "bool":
            flags = values
            for row in range(rows):
                if not has_nulls or bits[row >> 3] >> (row & 7) & 1:
                    out[at] = flags[row >> 3] >> (row & 7) & 1
                    at += 1
        elif kind == "int8":
            bytes_ = values
            for row in range(rows):
                if not has_nulls or bits[row >> 3] >> (row & 7) & 1:
                    out[at] = bytes_[row]
                    at += 1
        elif kind == "int16":
            shorts = values
            for row in range(rows):
                if not has_nulls or bits[row >> 3] >> (row & 7) & 1:
                    out[at] = shorts[row]
                    at += 1
        elif kind in ("int32", "string"):
            ints = values
            for row in range(rows):
                if not has_nulls or bits[row >> 3] >> (row & 7) & 1:
                    out[at] = ints[row]
                    at += 1
        else:
            longs = values
            for row in range(rows):
                if not has_nulls or bits[row >> 3] >> (row & 7) & 1:
                    out[at] = longs[row]
                    at += 1
        self._end(at)

    def take_repetitions(self, ends: Any, rows: int) -> None:
        """Take the repetition levels of lists whose elements end at `ends`, from 0 on: 1 for all but their first."""
        self._make_room(_levels(ends, rows))
        view, out = ends, self._values
        at = 0
        for row in range(rows):
            for element in range(max(view[row + 1] - view[row], 1)):
                out[at] = element > 0
                at += 1
        self._end(at)

    def take_definitions(self, ends: Any, valid: Any, rows: int, inner: Any, most: int) -> None:
        """Take the definition levels of such lists.

        0: the list is null; 1: it is empty; `most`: an element is there; one less: it is null, as `inner` says.
        """
        _check(valid, rows)
        _check(inner, ends[rows])
        self._make_room(_levels(ends, rows))
        view, out = ends, self._values
        has_nulls, has_inner = valid is not None, inner is not None
        bits = valid if has_nulls else b"\0"
        inside = inner if has_inner else b"\0"
        at = 0
        for row in range(rows):
            if view[row + 1] == view[row]:
                out[at] = not has_nulls or bits[row >> 3] >> (row & 7) & 1
                at += 1
                continue
            for element in range(view[row], view[row + 1]):
                is_there = not has_inner or inside[element >> 3] >> (element & 7) & 1
                out[at] = most if is_there else most - 1
                at += 1
        self._end(at)

    def taken(self) -> list[int]:
        """Give the numbers."""
        view = self._values
        return [view[at] for at in range(self.count)]

    def _end(self, count: int) -> None:
        """So many were taken: find the least and the most."""
        view = self._values
        self.count = count
        least = most = view[0] if count else 0
        for at in range(1, count):
            value = view[at]
            least = value if value < least else least
            most = value if value > most else most
        self.least, self.most = least, most

    def packed(self, width: int) -> bytearray:
        """Give numbers from 0 on in `width` bits each, filled up to a multiple of eight numbers."""
        data = bytearray((self.count + 7) // 8 * width)
        self._pack(data, 0, 0, self.count, 0, width)
        return data

    def _pack(self, data: bytearray, to: int, first: int, behind: int, least: int, width: int) -> None:
        """Write what the numbers from `first` to `behind` have above `least` in `width` bits each."""
        out, view = data, self._values
        bits = held = 0
        if width > _WIDEST:
            for at in range(first, behind):
                bits = view[at] - least
                for _ in range(8):
                    out[to] = bits & 0xFF
                    bits >>= 8
                    to += 1
            return
        for at in range(first, behind):
            bits |= (view[at] - least) << held
            held += width
            while held >= 8:
                out[to] = bits & 0xFF
                bits >>= 8
                held -= 8
                to += 1
        if held:
            out[to] = bits & 0xFF

    def runs(self, width: int) -> bytes:
        """Give numbers from 0 on as one run where they are the same, else in `width` bits each."""
        if self.least == self.most:
            return varint(self.count << 1) + self.least.to_bytes((width + 7) // 8, "little")
        return varint((self.count + 7) // 8 << 1 | 1) + self.packed(width)

    def differences(self) -> bytes:
        """Give the numbers by their differences (DELTA_BINARY_PACKED); these must not need more than 62 bits."""
        count = self.count
        view = self._values
        parts = _BLOCK // _PART
        if self.least == self.most:
            # All differences are 0, and take no bits.
            blocks = (count + _BLOCK - 2) // _BLOCK
            head = varint(_BLOCK) + varint(parts) + varint(count) + zigzag(self.least)
            return head + bytes(blocks * (1 + parts))
        room = _LONGEST * 4 + (count // _BLOCK + 1) * (_LONGEST + parts + _BLOCK * 8)
        if len(self._room) < room:
            self._room = bytearray(room)
        out = self._room
        to = _put_varint(out, 0, _BLOCK)
        to = _put_varint(out, to, parts)
        to = _put_varint(out, to, count)
        to = _put_signed(out, to, view[0])
        for at in range(count - 1, 0, -1):
            view[at] -= view[at - 1]
        for first in range(1, count, _BLOCK):
            behind = min(first + _BLOCK, count)
            least = view[first]
            for at in range(first, behind):
                value = view[at]
                least = value if value < least else least
            to = _put_signed(out, to, least)
            widths = to
            to += parts
            for part in range(parts):
                start = first + part * _PART
                end = min(start + _PART, behind)
                most = least
                for at in range(start, end):
                    value = view[at]
                    most = value if value > most else most
                width = 0
                while width < 64 and (most - least) >> width:
                    width = width + 1 if width < _WIDEST else 64
                out[widths + part] = width
                for at in range(to, to + _PART // 8 * width):
                    out[at] = 0
                self._pack(self._room, to, start, end, least, width)
                to += _PART // 8 * width
        return bytes(self._room[:to])


def _check(valid: Any, rows: int) -> None:
    """Raise IndexError where bits that say which values are null are too few."""
    if valid is not None and len(valid) < (rows + 7) // 8:
        raise IndexError(f"expected bits of {rows} values, found {8 * len(valid)}")


def _levels(ends: Any, rows: int) -> int:
    """Give how many levels lists have at most; raises IndexError where their ends do not rise from 0."""
    if len(ends) <= rows or ends[0] != 0:
        raise IndexError(f"expected the ends of {rows} lists, found {len(ends) - 1}")
    view = ends
    for row in range(rows):
        if view[row + 1] < view[row]:
            raise IndexError("expected ends of lists that rise")
    return rows + int(view[rows])


def _put_varint(out: bytearray, to: int, value: int) -> int:
    """Write an unsigned number in groups of seven bits, the lowest first; give where it ends."""
    while value > 0x7F:
        out[to] = value & 0x7F | 0x80
        value >>= 7
        to += 1
    out[to] = value
    return to + 1


def _put_signed(out: bytearray, to: int, value: int) -> int:
    """Write a signed number so that those near 0 are short; give where it ends."""
    return _put_varint(out, to, value << 1 if value >= 0 else ((-1 - value) << 1) | 1)


def present(values: Any, valid: Any, rows: int) -> bytes:
    """Give the doubles of a buffer that are not null, as they lie in memory."""
    _check(valid, rows)
    if len(values) < rows:
        raise IndexError(f"expected {rows} values, found {len(values)}")
    view, bits = values, valid
    out = array("d", bytes(8 * rows))
    to = out
    at = 0
    for row in range(rows):
        if bits[row >> 3] >> (row & 7) & 1:
            to[at] = view[row]
            at += 1
    return out[:at].tobytes()
