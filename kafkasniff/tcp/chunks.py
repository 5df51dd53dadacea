"""Pieces of a stream: where they lie, how they overlap, whether repeated bytes are the same."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import StreamData, StreamGap

Delivered = StreamData | StreamGap

Range = tuple[int, int]
"""Positions of a first byte and behind a last one."""

_OVERHEAD = 256
"""Bytes that a buffered chunk takes beside its contents, about."""

_MOST_DIFFERENCES = 16
"""Places where a segment differs from an earlier one that are noted: where every other byte does, the list of them is
70 times as large as the segment."""


class Chunk(NamedTuple):
    """Bytes of one segment that wait for those before them."""

    start: int
    end: int
    data: bytes
    """Shorter than `end - start` when the packet was cut."""
    arrival: Arrival
    fragments: tuple[Arrival, ...]
    order: int
    """How many packets of the connection had come with this one."""

    def between(self, start: int, end: int) -> "Chunk":
        """Give the part from position `start` to position `end`."""
        return self._replace(start=start, end=end, data=self.data[start - self.start : end - self.start])

    @property
    def held(self) -> int:
        """Give the bytes of memory that it takes while it waits, about."""
        return len(self.data) + _OVERHEAD


def first_behind(pending: list[Chunk], start: int) -> Chunk:
    """Give the first chunk of `pending` (by position) that begins behind `start`; there must be one."""
    return pending[bisect_right(pending, start, key=_start)]


def insert(pending: list[Chunk], chunk: Chunk) -> tuple[int, Chunk | None, list[Range]]:
    """Insert into `pending` (by position, none overlapping) the bytes of `chunk` that it lacks.

    Gives the memory that this takes, a chunk that has some of the same bytes, if any, and where such bytes differ.
    """
    index = bisect_right(pending, chunk.start, key=_start)
    added, repeated, start = 0, None, chunk.start
    differences: list[Range] = []
    if index and pending[index - 1].end > start:
        repeated = pending[index - 1]
        differences += _differences(chunk, repeated)
        start = repeated.end
    while start < chunk.end:
        following = pending[index] if index < len(pending) else None
        stop = chunk.end if following is None else min(chunk.end, following.start)
        if start < stop:
            part = chunk if (start, stop) == (chunk.start, chunk.end) else chunk.between(start, stop)
            pending.insert(index, part)
            added += part.held
            index += 1
        if following is None or chunk.end <= following.start:
            break
        repeated = following
        differences += _differences(chunk, following)
        start = following.end
        index += 1
    return added, repeated, differences


def compare_delivered(chunk: Chunk, delivered: Sequence[Delivered], end: int) -> tuple[int | None, list[Range]]:
    """Compare a chunk with delivered bytes that end at position `end`.

    Gives the time of the packet that first brought its first bytes, None where they are no longer remembered, and
    where its bytes differ from those that are.
    """
    first, position = None, end
    differences: list[Range] = []
    for event in reversed(delivered):
        if isinstance(event, StreamGap):
            if event.length is None:
                break
            position -= event.length
        else:
            data, time = event.data, event.arrival.time
            start = position - len(data)
            if start < chunk.end:
                earlier = Chunk(start, position, data, chunk.arrival, (), 0)
                first = time
                differences += _differences(chunk, earlier)
            position = start
        if position <= chunk.start:
            break
    return first, differences


def within(ranges: Sequence[Range], chunk: Chunk) -> tuple[Range, ...]:
    """Give what of some ranges lies in a chunk, in order, counted from its first byte on."""
    parts = sorted((max(start, chunk.start), min(end, chunk.end)) for start, end in ranges)
    return tuple((start - chunk.start, end - chunk.start) for start, end in parts if start < end)


def _start(chunk: Chunk) -> int:
    return chunk.start


def _differences(chunk: Chunk, other: Chunk) -> list[Range]:
    """Give where two chunks differ of what both have bytes of: the first places, within bounds."""
    start = max(chunk.start, other.start)
    end = min(chunk.start + len(chunk.data), other.start + len(other.data))
    mine = chunk.data[start - chunk.start : max(end - chunk.start, 0)]
    theirs = other.data[start - other.start : max(end - other.start, 0)]
    if start >= end or mine == theirs:
        return []
    found: list[Range] = []
    for place, pair in enumerate(zip(mine, theirs, strict=True), start):
        if pair[0] != pair[1]:
            if found and found[-1][1] == place:
                found[-1] = found[-1][0], place + 1
            elif len(found) == _MOST_DIFFERENCES:
                break
            else:
                found.append((place, place + 1))
    return found
