# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, initializedcheck=False
"""Finds packets one by one: the records of a pcap file, and runs of a pcapng file's enhanced packet blocks."""

from array import array
from typing import Final

from kafkasniff.capture.files.walk import MAX_BATCH_PACKETS, Columns

ENHANCED_PACKET: Final = 6
"""Type of the block that holds a packet with its interface and its time (draft-ietf-opsawg-pcapng, 4.3)."""
_ENHANCED_PACKET = ENHANCED_PACKET
_BLOCK_OVERHEAD = 32
"""Bytes of such a block beside packet data and options: seven fields, and its length again."""
_CLOCK = 4
"""Numbers that a clock is made of."""
_MOST_NS = 1 << 61
"""Products and sums of less stay within a machine word."""

_SPARE: "list[tuple[array[int], ...]]" = []
"""Columns that a walk fills anew, so that none has to make room for as many packets as there could be; of all files, as
each takes two megabytes."""


class RecordWalker:
    """Goes from record header to record header (draft-ietf-opsawg-pcap, 5)."""

    __slots__ = (
        "_big_endian",
        "_captured_limit",
        "_fraction_ns",
        "_header_length",
        "_lengths_swapped",
    )

    def __init__(
        self, big_endian: bool, header_length: int, fraction_ns: int, captured_limit: int, lengths_swapped: bool
    ) -> None:
        """Know the form of a file's record headers.

        Their fractions of seconds count `fraction_ns` ns; no more than `captured_limit` bytes of a packet are believed;
        `lengths_swapped`: the original length comes first where it is the smaller one.
        """
        self._big_endian = big_endian
        self._header_length = header_length
        self._fraction_ns = fraction_ns
        self._captured_limit = captured_limit
        self._lengths_swapped = lengths_swapped

    def walk(self, data: bytes, position: int, columns: Columns) -> tuple[int, int, str | None]:
        """Put packets into `columns`, which have none; give position, need and damage as in `Walk`."""
        view = data
        size = len(data)
        header_length = self._header_length
        big = self._big_endian
        room = _take_room()
        offsets, captureds, originals, times, _ = room
        need, damage, count, most = header_length, None, 0, MAX_BATCH_PACKETS
        # The one check of what `_number` reads; a header has 16 bytes or more.
        while count < most and 0 <= position <= size - header_length:
            seconds = _number(view, position, big)
            fraction = _number(view, position + 4, big)
            captured = _number(view, position + 8, big)
            original = _number(view, position + 12, big)
            if captured > original:
                if self._lengths_swapped:
                    captured, original = original, captured
                else:
                    original = captured
            offset = position + header_length
            if captured > self._captured_limit:
                damage = f"expected at most {self._captured_limit} bytes of packet data, found a length of {captured}"
                break
            if offset + captured > size:
                need = header_length + captured
                break
            offsets[count] = offset
            captureds[count] = captured
            originals[count] = original
            times[count] = seconds * 1_000_000_000 + fraction * self._fraction_ns
            count += 1
            position = offset + captured
        columns.offsets, columns.captured, columns.original, columns.times = [each[:count] for each in room[:4]]
        _SPARE.append(room)
        return position, need, damage


class EnhancedPackets:
    """Goes from enhanced packet block to enhanced packet block of a section, the bulk of any pcapng file."""

    __slots__ = ("_big_endian", "_clocks")

    def __init__(self, big_endian: bool) -> None:
        """Begin a section, which has described no interface yet."""
        self._big_endian = big_endian
        self._clocks = array("q")
        """Of each interface: its index in the file's list, and numerator, denominator and offset of its clock."""

    def describe(self, interface_id: int, numerator: int, denominator: int, offset: int) -> None:
        """Take the next interface: ns since 1970 are ticks * numerator // denominator + offset."""
        fits = numerator * denominator < _MOST_NS and abs(offset) < _MOST_NS
        self._clocks.extend((interface_id, numerator, denominator, offset) if fits else (0, 0, 0, 0))

    def take(self, data: bytes, position: int, columns: Columns) -> int:
        """Add a run of packets to `columns`; give where the first block begins that is none, not whole or unusual."""
        view = data
        size = len(data)
        big = self._big_endian
        clocks = self._clocks
        interfaces = len(clocks) // _CLOCK
        room = _take_room()
        offsets, captureds, originals, times, interface_ids = room
        count, most = 0, MAX_BATCH_PACKETS - len(columns.offsets)
        # With the check of the block's end, the one check of what `_number` reads.
        while count < most and 0 <= position <= size - _BLOCK_OVERHEAD:
            length = _number(view, position + 4, big)
            interface = _number(view, position + 8, big)
            captured = _number(view, position + 20, big)
            if (
                _number(view, position, big) != _ENHANCED_PACKET
                or length % 4
                or length > size - position
                or captured > length - _BLOCK_OVERHEAD
                or interface >= interfaces
                or _number(view, position + length - 4, big) != length
            ):
                break
            clock = interface * _CLOCK
            numerator, denominator = clocks[clock + 1], clocks[clock + 2]
            ticks = _number(view, position + 12, big) << 32 | _number(view, position + 16, big)
            if denominator == 0 or ticks // denominator >= _MOST_NS // numerator:
                break
            # As ticks * numerator // denominator, which does not stay within a machine word.
            time = ticks // denominator * numerator + ticks % denominator * numerator // denominator
            time += clocks[clock + 3]
            original = _number(view, position + 24, big)
            offsets[count] = position + 28
            captureds[count] = captured
            originals[count] = original if original > captured else captured
            times[count] = time if time > 0 else 0
            interface_ids[count] = clocks[clock]
            count += 1
            position += length
        taken = (columns.offsets, columns.captured, columns.original, columns.times, columns.interface_ids)
        for column, found in zip(taken, room, strict=True):
            column.extend(found[:count])
        _SPARE.append(room)
        return position


def _take_room() -> "tuple[array[int], ...]":
    try:
        return _SPARE.pop()
    except IndexError:
        return tuple([array("q", bytes(8 * MAX_BATCH_PACKETS)) for _ in range(5)])


def _number(view: bytes, at: int, big_endian: bool) -> int:
    """Give the 4 bytes at a place as a number; the caller checks that they are there: compiled, `view` is a pointer."""
    first, second, third, fourth = view[at], view[at + 1], view[at + 2], view[at + 3]
    if big_endian:
        return first << 24 | second << 16 | third << 8 | fourth
    return fourth << 24 | third << 16 | second << 8 | first
