# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Where a sender's writes begin in a stream: behind segments that it would have filled further if it had had more."""

from kafkasniff.calls.correlation.frames import SIZE_PREFIX
from kafkasniff.calls.correlation.segments import LargestSegments
from kafkasniff.calls.resync.integers import INTEGER, are_integers

LEAST_FULL = 28
"""Bytes of the smallest full segment that there should be: every path takes 68 octets (RFC 791, 3.2)."""
SMALLEST_PIECE = 8
"""Bytes of the smallest pieces in which Kafka 0.8 writes a response: size and correlation id. Where all segments are
smaller, as on no path, where they begin tells nothing of what their sender wrote."""
LEAST_TINY = 4
"""How many such segments it takes: the first ones may just be pieces of a size."""
SMALLEST_FULL = 536
"""Bytes of a full segment, if there are no smaller ones for certain: the default that a sender may assume (RFC 9293,
3.7.1)."""


class Writes:
    """Takes the segments of a stream, and finds those that are behind a short one."""

    __slots__ = ("_begin", "_data", "_largest", "_last", "_start")

    def __init__(self) -> None:
        """Know of no segment."""
        self._last = 0
        """Bytes on the wire of the segment that was added last; 0 when it is not known."""
        self._data = b""
        """What there is of it, if it is small."""
        self._start = 0
        """Bytes of it that lie before `_data`."""
        self._largest = LargestSegments()
        """Of the connection before it."""
        self._begin: set[int] = set()

    def go_on(self, last: int, largest: LargestSegments) -> None:
        """Begin behind a segment of `last` bytes (0: not known), with the connection's largest segments."""
        # The last one is counted when another follows.
        self._last, self._largest = last, LargestSegments(largest.size, largest.count - (last == largest.size))

    def add(self, place: int, data: bytes, start: int = 0) -> None:
        """Take the next segment, of which the bytes of `data` from `start` on stand at the stream position `place`."""
        last, length = self._last, len(data)
        self._largest.note(last)
        if 0 < last < max(self._largest.size, length, SMALLEST_FULL) and not self._was_full(length):
            self._begin.add(place)
        self._last, self._start = length, start
        self._data = data[start:] if length < SMALLEST_FULL else b""

    def cut(self, count: int) -> None:
        """Note that `count` more bytes of the last segment were on the wire."""
        self._last += count

    def lose(self) -> None:
        """Note that segments lack behind the last one."""
        self._last = 0

    def begin_at(self, place: int) -> bool:
        """Tell whether a write begins at a stream position."""
        return place in self._begin

    def are_tiny(self) -> bool:
        """Tell whether all segments are so small that one begins every few bytes."""
        return 0 < self._largest.size < SMALLEST_PIECE and self._largest.count >= LEAST_TINY

    def drop_before(self, place: int) -> None:
        """Forget what lies before a stream position."""
        self._begin = {each for each in self._begin if each >= place}

    def _was_full(self, following: int) -> bool:
        """Tell whether the last segment was full though it is a small one, by the length of the one behind it.

        Of a path that takes but small segments several are as large as the largest. So they are where all messages are
        of one length, but then each ends with its segment.
        """
        last, largest = self._last, self._largest
        if last < largest.size or following > last or (largest.count < 2 and following < last):
            return False
        if last < LEAST_FULL and not self.are_tiny():
            return False
        return not _end_with(self._data, last - self._start)


def _end_with(data: bytes, length: int) -> bool:
    """Tell whether messages follow each other from the beginning of `data` to exactly `length` bytes.

    Where not all of these are there, it must be one message. Small integers alone are none: some may add up.
    """
    if are_integers(data, 0, len(data) - len(data) % INTEGER):
        return False
    if len(data) < length:
        return data[:SIZE_PREFIX] == (length - SIZE_PREFIX).to_bytes(SIZE_PREFIX, "big")
    at = 0
    while at + SIZE_PREFIX <= len(data):
        size = int.from_bytes(data[at : at + SIZE_PREFIX], "big", signed=True)
        if size < 0:
            return False
        at += SIZE_PREFIX + size
    return at == length
