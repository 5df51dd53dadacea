# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Pieces of a stream: where they lie, how they overlap, whether repeated bytes are the same."""

from collections.abc import Sequence

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import DirectionCounters

Range = tuple[int, int]
"""Positions of a first byte and behind a last one."""

LATE_NS = 100_000_000
"""Later than this after the same bytes, or after bytes behind them, a segment was sent again."""
_LATE_NS = LATE_NS
_DUPLICATE_NS = 1_000_000

_OVERHEAD = 256
"""Bytes that a buffered chunk takes beside its contents, about."""

_MOST_DIFFERENCES = 16
"""Places where a segment differs from an earlier one that are noted: where every other byte does, the list of them is
70 times as large as the segment."""


@cython.no_gc
@cython.freelist(64)
@cython.final
@cython.cclass
class Chunk:
    """Bytes of one segment that wait for those before them."""

    __slots__ = ("arrival", "data", "end", "fragments", "order", "start")

    def __init__(
        self, start: int, end: int, data: bytes, arrival: Arrival, fragments: tuple[Arrival, ...], order: int
    ) -> None:
        """Take the bytes from position `start` to `end`."""
        self.start = start
        self.end = end
        self.data = data
        """Shorter than `end - start` when the packet was cut."""
        self.arrival = arrival
        self.fragments = fragments
        self.order = order
        """How many packets of the connection had come with this one."""

    def between(self, start: int, end: int) -> "Chunk":
        """Give the part from position `start` to position `end`."""
        data = self.data[start - self.start : end - self.start]
        return Chunk(start, end, data, self.arrival, self.fragments, self.order)

    def moved(self, start: int) -> "Chunk":
        """Give the same at position `start`."""
        end = start + self.end - self.start
        return Chunk(start, end, self.data, self.arrival, self.fragments, self.order)

    def held(self) -> int:
        """Give the bytes of memory that it takes while it waits, about."""
        return len(self.data) + _OVERHEAD


@cython.no_gc
@cython.freelist(4096)
@cython.final
@cython.cclass
class Delivered:
    """Bytes of one segment, or a gap, that were delivered."""

    __slots__ = ("data", "length", "time")

    def __init__(self, data: bytes | None, length: int, time: int) -> None:
        """Take `length` bytes that came at `time`; of a gap `data` is None, and the length -1 where it is not known."""
        self.data = data
        self.length = length
        self.time = time
        """In ns since 1970."""


def new_delivered(data: bytes | None, length: int, time: int) -> Delivered:
    """Make one, sooner than by calling the class."""
    delivered = Delivered.__new__(Delivered)
    delivered.data = data
    delivered.length = length
    delivered.time = time
    return delivered


def index_behind(pending: list[Chunk], start: int) -> int:
    """Give the index of the first chunk of `pending` (by position) that begins behind `start`."""
    low, high = 0, len(pending)
    while low < high:
        middle = (low + high) >> 1
        chunk = pending[middle]
        if chunk.start > start:
            high = middle
        else:
            low = middle + 1
    return low


def insert(pending: list[Chunk], chunk: Chunk) -> tuple[int, Chunk | None, list[Range]]:
    """Insert into `pending` (by position, none overlapping) the bytes of `chunk` that it lacks.

    Gives the memory that this takes, a chunk that has some of the same bytes, if any, and where such bytes differ.
    """
    index = index_behind(pending, chunk.start)
    added, repeated, start = 0, None, chunk.start
    differences: list[Range] = []
    if index:
        before = pending[index - 1]
        if before.end > start:
            repeated = before
            differences += _differences(chunk, repeated)
            start = repeated.end
    while start < chunk.end:
        following = pending[index] if index < len(pending) else None
        stop = chunk.end if following is None else min(chunk.end, following.start)
        if start < stop:
            part = chunk if start == chunk.start and stop == chunk.end else chunk.between(start, stop)
            pending.insert(index, part)
            added += part.held()
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
    for piece in reversed(delivered):
        if piece.length < 0:
            break
        start = position - piece.length
        if piece.data is not None and start < chunk.end:
            first = piece.time
            differences += _differences(chunk, Chunk(start, position, piece.data, chunk.arrival, (), 0))
        position = start
        if position <= chunk.start:
            break
    return first, differences


def within(ranges: Sequence[Range], chunk: Chunk) -> tuple[Range, ...]:
    """Give what of some ranges lies in a chunk, in order, counted from its first byte on."""
    parts = sorted([(max(start, chunk.start), min(end, chunk.end)) for start, end in ranges])
    return tuple([(start - chunk.start, end - chunk.start) for start, end in parts if start < end])


def _differences(chunk: Chunk, other: Chunk) -> list[Range]:
    """Give where two chunks differ of what both have bytes of: the first places, within bounds."""
    start = max(chunk.start, other.start)
    end = min(chunk.start + len(chunk.data), other.start + len(other.data))
    if start >= end:
        return []
    mine = chunk.data[start - chunk.start : end - chunk.start]
    theirs = other.data[start - other.start : end - other.start]
    if mine == theirs:
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


def count_repeat(counters: DirectionCounters, chunk: Chunk, first: int | None, differs: bool) -> bool:
    """Count a segment whose bytes came before, `first` in ns since 1970 where known; tell whether it is a late one."""
    counters.conflicts += differs
    known = first is not None
    elapsed = chunk.arrival.time - first if first is not None else 0
    if known and abs(elapsed) <= _DUPLICATE_NS and not differs:
        counters.duplicates += 1
        return False
    counters.retransmissions += 1
    late = known and elapsed > _LATE_NS
    counters.late_retransmissions += late
    return late
