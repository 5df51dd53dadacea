"""Where a sender's writes begin in a stream: behind segments that it would have filled further if it had had more."""

SMALLEST_FULL = 536
"""Bytes of a full segment, if there are no smaller ones for certain: the default that a sender may assume (RFC 9293,
3.7.1)."""
SIZE_PREFIX = 4


class Writes:
    """Takes the segments of a stream, and finds those that are behind a short one."""

    __slots__ = ("_as_large", "_begin", "_data", "_largest", "_last", "_start")

    def __init__(self) -> None:
        """Know of no segment."""
        self._last = 0
        """Bytes on the wire of the segment that was added last; 0 when it is not known."""
        self._data = b""
        """What there is of it, if it is small."""
        self._start = 0
        """Bytes of it that lie before `_data`."""
        self._largest = 0
        """Bytes of the largest segment of the connection before it."""
        self._as_large = 0
        """Segments that are known to have as many."""
        self._begin: set[int] = set()

    def go_on(self, last: int, largest: int, as_large: int) -> None:
        """Begin behind a segment of `last` bytes (0: not known).

        The connection's largest segments had `largest` bytes; there were `as_large` of them.
        """
        self._last, self._largest = last, largest
        # The last one is counted when another follows.
        self._as_large = as_large - (last == largest)

    def add(self, place: int, data: bytes, start: int = 0) -> None:
        """Take the next segment, of which the bytes of `data` from `start` on stand at the stream position `place`."""
        last, length = self._last, len(data)
        if last > self._largest:
            self._largest, self._as_large = last, 1
        else:
            self._as_large += last == self._largest
        if 0 < last < max(self._largest, length, SMALLEST_FULL) and not self._was_full(length):
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

    def drop_before(self, place: int) -> None:
        """Forget what lies before a stream position."""
        self._begin = {each for each in self._begin if each >= place}

    def _was_full(self, following: int) -> bool:
        """Tell whether the last segment was full though it is a small one, by the length of the one behind it.

        Of a path that takes but small segments several are as large as the largest. So they are where all messages are
        of one length, but then each ends with its segment.
        """
        last = self._last
        if last < self._largest or following > last or (self._as_large < 2 and following < last):
            return False
        return not _end_with(self._data, last - self._start)


def _end_with(data: bytes, length: int) -> bool:
    """Tell whether messages follow each other from the beginning of `data` to exactly `length` bytes."""
    at = 0
    while at + SIZE_PREFIX <= len(data):
        size = int.from_bytes(data[at : at + SIZE_PREFIX], "big", signed=True)
        if size < 0:
            return False
        at += SIZE_PREFIX + size
    return at == length
