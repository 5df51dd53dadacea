# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Bytes of one direction that are kept while it is not known where its frames begin."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from kafkasniff.calls.limits import Budget
from kafkasniff.calls.resync.integers import (
    ARRAY_BYTES,
    ARRAY_WORDS,
    ARRAY_WORDS_OF_CUT,
    INTEGER,
    are_integers,
    begins_array,
    goes_on_at,
)
from kafkasniff.calls.resync.writes import Writes
from kafkasniff.tcp.events import StreamData, StreamGap

HeldPiece = tuple[StreamData, int] | StreamGap
"""Data from a first position on, or a gap."""

HELD_TWICE = 2
"""Each byte is held in its packet and in a run that can be searched."""
HELD_AT_LEAST = 64 << 10
"""Bytes that a stream may hold even when the budget is used up."""
LEAST_INTEGERS = 5
"""Integers that are an array of them from their first one on: size, id, and three that begin no body of a response."""
SMALL = (b"\0", None)
"""What the upper bytes of a small integer are, where they are there."""
SHORT_RUN = 512
"""Bytes between two gaps, of which a segment that the snap length cut has few."""


class HeldStream:
    """The latest part of a stream, with the stream position of every byte.

    Data on both sides of a gap of known length keep their distance, so that a size prefix before the gap can point
    behind it. A gap of unknown length ends all that came before.
    """

    __slots__ = (
        "_behind_gaps",
        "_budget",
        "_items",
        "_overflowed",
        "_run_starts",
        "_runs",
        "agreements",
        "cut",
        "discarded",
        "end",
        "ended",
        "held",
        "limit",
        "segment_starts",
        "writes",
    )

    def __init__(self, limit: int, budget: Budget, start: int = 0) -> None:
        """Hold at most `limit` bytes, and less when `budget` is used up; the first byte has the position `start`."""
        self.limit = limit
        self._budget = budget
        self.end = start
        """Stream position behind the last byte."""
        self.ended = False
        """Whether nothing more comes."""
        self.held = 0
        self.discarded = 0
        """Bytes that were let go because of the limit."""
        self._overflowed = False
        self.segment_starts: list[int] = []
        """Stream positions at which a segment begins; a sender's writes mostly begin there too."""
        self.agreements: dict[tuple[int, int, int], tuple[int, int]] = {}
        """What was found of messages that are not whole: bytes looked at and points, by place, API key and version."""
        self.writes = Writes()
        self.cut = False
        """Whether the snap length cut any of its segments."""
        self._behind_gaps: set[int] = set()
        self._items: list[tuple[int, HeldPiece]] = []
        self._runs: list[bytearray] = []
        self._run_starts: list[int] = []

    def push(self, event: StreamData, start: int = 0) -> None:
        """Add the bytes of `event` from `start` on."""
        length = len(event.data) - start
        if not self._runs or self._run_starts[-1] + len(self._runs[-1]) != self.end:
            self._runs.append(bytearray())
            self._run_starts.append(self.end)
        self._runs[-1] += event.data[start:] if start else event.data
        self._items.append((self.end, (event, start)))
        self.segment_starts.append(self.end)
        self.writes.add(self.end, event.data, start)
        self.end += length
        self.held += length
        self._budget.take(HELD_TWICE * length)
        limit = self.limit if self._budget.left else min(self.limit, HELD_AT_LEAST)
        if self.held > limit:
            if limit < self.limit:
                self._budget.reach()
            elif not self._overflowed:
                self._overflowed = True
                self._budget.reach(f"direction searched for messages in vain for more than {limit / (1 << 20):g} MiB")
            self.drop_before(self.end - limit * 3 // 4)

    def push_gap(self, gap: StreamGap) -> None:
        """Add a gap."""
        self._items.append((self.end, gap))
        self.end += gap.length or 0
        cut = gap.cut and bool(gap.length)
        if cut:
            self.writes.cut(gap.length or 0)
        else:
            self.writes.lose()
        self.follow_gap(cut)
        if gap.length is None:
            self.drop_before(self.end)

    def follow_gap(self, cut: bool) -> None:
        """Note that what comes next is behind a gap: segments that lack, or (`cut`) the end of one."""
        if cut:
            self.cut = True
        else:
            self._behind_gaps.add(self.end)

    def drop_before(self, offset: int) -> None:
        """Let go of the bytes before the stream position `offset`, by whole segments."""
        keep = 0
        while keep < len(self._items):
            position, item = self._items[keep]
            length = (item.length or 0) if isinstance(item, StreamGap) else len(item[0].data) - item[1]
            if position + length > offset:
                break
            keep += 1
        if not keep:
            return
        del self._items[:keep]
        first = self._items[0][0] if self._items else self.end
        self.segment_starts = [start for start in self.segment_starts if start >= first]
        while self._runs and self._run_starts[0] + len(self._runs[0]) <= first:
            self._runs.pop(0)
            self._run_starts.pop(0)
        if self._runs and self._run_starts[0] < first:
            del self._runs[0][: first - self._run_starts[0]]
            self._run_starts[0] = first
        held = sum(map(len, self._runs))
        self.discarded += self.held - held
        self._budget.give_back(HELD_TWICE * (self.held - held))
        self.held = held
        self.agreements.clear()
        self._behind_gaps = {place for place in self._behind_gaps if place >= first}
        self.writes.drop_before(first)

    def clear(self) -> None:
        """Let go of everything."""
        self.drop_before(self.end)

    def begins_segment(self, offset: int) -> bool:
        """Tell whether a segment begins at the stream position `offset`; of tiny ones, whether a write does."""
        if self.writes.are_tiny():
            return self.writes.begin_at(offset)
        index = bisect_left(self.segment_starts, offset)
        return index < len(self.segment_starts) and self.segment_starts[index] == offset

    def follows_gap(self, offset: int) -> bool:
        """Tell whether whole segments lack right before the stream position `offset`."""
        return offset in self._behind_gaps

    def begins_write(self, offset: int) -> bool:
        """Tell whether a segment begins at `offset` behind a short one: its sender had had nothing more to send."""
        return self.writes.begin_at(offset)

    def is_short(self, offset: int) -> bool:
        """Tell whether a gap comes soon before and behind `offset`, so that chance has few places around it."""
        found = self.run_at(offset)
        return found is not None and len(found[1]) <= SHORT_RUN

    def is_among_small_integers(self, offset: int, end: int | None = None) -> bool:
        """Tell whether `offset` stands in what reads as an array of integers below 65,536.

        In such an array any two look like the size and the correlation id of a response. What stands behind the
        stream position `end`, where a frame is proven to which the size leads, does not count.
        """
        found = self.run_at(offset)
        if found is None:
            return False
        start, run = found
        place = offset - start
        stop = place + min(ARRAY_BYTES, (end or self.end) - offset)
        around = run[place % 4 if place < ARRAY_BYTES else place - ARRAY_BYTES : stop]
        words = len(around) // 4
        least = ARRAY_WORDS_OF_CUT if self.cut and start not in self._behind_gaps else ARRAY_WORDS
        # Wherever the integers begin, their upper halves are zeros.
        halves = words >= least and [around[each : words * 4 : 4].count(0) for each in range(4)].count(words) >= 2
        if halves and goes_on_at(run, place, zeros=end is None):
            return True
        return begins_array(run, place, stop) or self._is_in_line(offset, offset + stop - place)

    def _is_in_line(self, offset: int, stop: int) -> bool:
        """Tell whether integers of an array stand in one line with `offset` where a gap is near, which may hold more.

        Those behind `stop` do not count. Size, id, and three more integers above zero are no beginning of a response.
        """
        found = self.run_at(offset)
        if found is None or (found[0] <= offset - ARRAY_BYTES and stop < found[0] + len(found[1])):
            return False
        before, _ = self._integers(range(offset - INTEGER, offset - ARRAY_BYTES - 1, -INTEGER))
        behind, ended = self._integers(range(offset, stop - INTEGER + 1, INTEGER))
        return before + behind >= ARRAY_WORDS_OF_CUT and (behind >= LEAST_INTEGERS or not ended)

    def _integers(self, places: range) -> tuple[int, bool]:
        """Count integers from 1 to 65,535 at `places` up to the first other one, and tell whether there is one.

        Those of which a gap has a part do not count, and do not end it unless the other part contradicts.
        """
        count = 0
        for place in places:
            some = [self.read(each, 1) for each in range(place, place + INTEGER)]
            if some[0] not in SMALL or some[1] not in SMALL or some[2:] == [b"\0", b"\0"]:
                return count, True
            count += None not in some
        return count, False

    def begins_array(self, offset: int) -> bool:
        """Tell whether from `offset` on stands what reads as an array of integers below 65,536, few of them zero."""
        found = self.run_at(offset)
        return found is not None and begins_array(found[1], offset - found[0], offset - found[0] + ARRAY_BYTES)

    def may_continue_array(self, offset: int) -> bool:
        """Tell whether such an array reaches up to the gap right before `offset`, if there is one."""
        index = bisect_left(self._run_starts, offset) - 1
        if index < 0 or index + 1 == len(self._runs) or self._run_starts[index + 1] != offset:
            return False
        run = self._runs[index]
        # Integers stand at positions in one line with `offset`.
        end = len(run) - (self._run_starts[index] + len(run) - offset) % 4
        place = max(end - ARRAY_BYTES, end % 4)
        return end - place >= 4 * ARRAY_WORDS_OF_CUT and are_integers(run, place, end)

    def run_at(self, offset: int) -> tuple[int, bytearray] | None:
        """Give the run of bytes without a gap that `offset` lies in, with its stream position."""
        index = bisect_right(self._run_starts, offset) - 1
        if index < 0:
            return None
        first, run = self._run_starts[index], self._runs[index]
        return None if offset >= first + len(run) else (first, run)

    def read(self, offset: int, count: int) -> bytes | None:
        """Give `count` bytes from the stream position `offset` on, or None when they are not all held."""
        found = self.run_at(offset)
        if found is None or offset + count > found[0] + len(found[1]):
            return None
        start, run = found
        return bytes(run[offset - start : offset - start + count])

    def read_up_to(self, offset: int, count: int) -> bytes:
        """Give what is held from the stream position `offset` up to a gap, at most `count` bytes."""
        found = self.run_at(offset)
        return b"" if found is None else bytes(found[1][offset - found[0] : offset - found[0] + count])

    def read_to_gap(self, offset: int, count: int) -> bytes | None:
        """Give the bytes from the stream position `offset` up to a gap, when that comes before `count` bytes."""
        found = self.run_at(offset)
        if found is None:
            return None
        start, run = found
        end = start + len(run)
        return bytes(run[offset - start :]) if end < min(offset + count, self.end) else None

    def runs(self, offset: int) -> Iterator[tuple[int, bytearray]]:
        """Give each run of bytes without a gap that ends behind `offset`, with its stream position."""
        for start, run in zip(self._run_starts, self._runs, strict=True):
            if start + len(run) > offset:
                yield start, run

    def items_from(self, offset: int) -> list[HeldPiece]:
        """Give what there is from the stream position `offset` on, in order."""
        found: list[HeldPiece] = []
        for position, item in self._items:
            if isinstance(item, StreamGap):
                if position >= offset:
                    found.append(item)
            elif position + len(item[0].data) - item[1] > offset:
                found.append((item[0], item[1] + max(0, offset - position)))
        return found
