"""Lets rows of a stretch pass through the streams of their connection."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.chunks import Chunk, distance
from kafkasniff.tcp.columns import Numbers
from kafkasniff.tcp.connections import ConnectionTable
from kafkasniff.tcp.disorder import Disorder, Rows, Side
from kafkasniff.tcp.events import NO_PAYLOADS, RunSide, StreamRun
from kafkasniff.tcp.payloads import Payloads, largest_of
from kafkasniff.tcp.runs import Stretches
from kafkasniff.tcp.state import ConnectionState
from kafkasniff.tcp.streams import FARTHEST, Stream


class Course(NamedTuple):
    """What all passages through a batch share."""

    batch: PacketBatch
    table: ConnectionTable
    payload: Numbers
    """For each packet the position of its payload in the buffer."""
    times: Numbers
    times_rise: bool
    turn: int
    """That of the first packet; see `OpenHoles.turn`."""
    may_wait: bool
    """Whether all payloads may wait behind holes without reaching a limit."""
    places: list[int]
    """See `ColumnPath.places`."""


class Passage:
    """Rows of a stretch on their way through a connection on which nothing waits, or nothing but for holes."""

    __slots__ = (
        "_both_ways", "_course", "_disorder", "_first", "_number", "_payloads", "_positions", "_sides", "_state",
        "_stretches",
    )  # fmt: skip

    def __init__(
        self,
        course: Course,
        stretches: Stretches,
        payloads: Payloads,
        number: int,
        first: int,
        state: ConnectionState,
        side: int,
    ) -> None:
        """Stand before the row `first`; `side` is the connection's direction 0 among the rows."""
        self._course = course
        self._stretches = stretches
        self._payloads = payloads
        self._number = number
        self._first = first
        self._state = state
        self._sides = (side, 1 - side)
        self._both_ways = stretches.both_ways[number]
        (first_stream, second_stream), bases = state.streams, stretches.bases
        self._positions = (
            distance(first_stream.sequence, bases[side][number]),
            distance(second_stream.sequence, bases[1 - side][number]),
        )
        self._disorder: Disorder | None = None

    def may_begin(self) -> bool:
        """Tell whether the streams stand where the row does; else `Stretches.odd` means nothing."""
        return self._state.careful or self._is_reached(self._first, self._positions)

    @property
    def refused(self) -> int:
        """Give the row that was not understood, where none was taken."""
        return self._first + (self._disorder.refused if self._disorder is not None else 0)

    def take(self, end: int, place: int) -> int:
        """Take the rows up to `end`, or to the first odd one that is not understood; give the one behind.

        `place` is where in `Stretches.odd` those from the first row on are.
        """
        at, odd = self._first, self._stretches.odd
        if self._state.careful:
            behind = self._go_on(end)
            if behind is None:
                return self._first
            at = behind
            if at < end and not self._is_reached(at, self._played()):
                end = at
        while place < len(odd) and odd[place] < end:
            if odd[place] >= at:
                behind = self._play(odd[place], end)
                if behind is None:
                    end = odd[place]
                    break
                at = behind
                if at < end and not self._is_reached(at, self._played()):
                    # A gap goes on behind all that was seen: bytes of it that come late would not be odd.
                    end = at
                    break
            place += 1
        self._deliver(end)
        return end

    def _is_reached(self, row: int, positions: tuple[int, int]) -> bool:
        reached = self._reached(row)
        if self._both_ways:
            return positions == reached
        return positions[0] >= reached[0] and positions[1] >= reached[1]

    def _reached(self, row: int) -> tuple[int, int]:
        first, second = self._sides
        return self._stretches.reached[first].item(row), self._stretches.reached[second].item(row)

    def _played(self) -> tuple[int, int]:
        assert self._disorder is not None
        first, second = self._disorder.sides
        return first.position, second.position

    def _play(self, row: int, end: int) -> int | None:
        """Play disorder from `row` on; give the row behind it, None where it is not understood."""
        if not self._may_play:
            return None
        known = self._positions
        if self._disorder is None:
            self._disorder = Disorder(self._rows(end), self._new_sides(), self._course.table.memory.limits)
        else:
            known = self._played()
        # Where a direction has no rows, nothing moves it.
        first, second = (max(pair) for pair in zip(known, self._reached(row), strict=True))
        behind = self._disorder.play(row - self._first, (first, second))
        return None if behind is None else behind + self._first

    def _go_on(self, end: int) -> int | None:
        """Play from the first row on, before which something waits; give the row behind as `_play` does."""
        if not self._may_play:
            return None
        rows, sides = self._rows(end), self._new_sides()
        nearest = min(side.position for side in sides)
        if int(rows.start.max()) - nearest > FARTHEST or nearest - int(rows.start.min()) > FARTHEST:
            return None
        self._disorder = Disorder(rows, sides, self._course.table.memory.limits)
        behind = self._disorder.go_on()
        return None if behind is None else behind + self._first

    @property
    def _may_play(self) -> bool:
        state = self._state
        if state.connection.round_trip_ns is None and (state.syn_time is not None or state.sent is not None):
            # What acknowledges is to be looked at closely.
            return False
        return self._course.may_wait

    def _rows(self, end: int) -> Rows:
        of, part = self._stretches, slice(self._first, end)
        second = of.larger[part] != self._sides[0]
        return Rows(second, of.start[part], of.length[part], of.acknowledged[part], self._course.times[of.rows[part]])

    def _new_sides(self) -> tuple[Side, Side]:
        first, second = (
            _side(stream, position - stream.position, self._state.order)
            for stream, position in zip(self._state.streams, self._positions, strict=True)
        )
        return first, second

    def _deliver(self, end: int) -> None:
        """Let the rows up to `end` through."""
        course, state, first, packets = self._course, self._state, self._first, self._stretches.rows
        state.connection.last = course.batch.arrival(packets.item(end - 1))
        of_larger = int(np.count_nonzero(self._stretches.larger[first:end]))
        of_both = (end - first - of_larger, of_larger)
        state.streams[0].counters.packets += of_both[self._sides[0]]
        state.streams[1].counters.packets += of_both[self._sides[1]]
        place = 2 * packets.item(first) + 1
        if self._disorder is not None:
            course.table.memory.arrive(int(self._stretches.length[first:end].sum()))
            self._deliver_disorder(self._disorder, end, place)
            return
        side, number, (of_first, of_second) = self._payloads.side, self._number, self._sides
        sides = (side(number, of_first, first, end), side(number, of_second, first, end))
        course.table.memory.arrive(sides[0].size + sides[1].size)
        self._run(sides, place)

    def _run(self, sides: tuple[RunSide, RunSide], place: int) -> None:
        """Hand over payloads, if there are any."""
        if sides[0].packets or sides[1].packets:
            course, state = self._course, self._state
            run = StreamRun(state.connection, course.batch, sides, course.times_rise)
            for stream in state.streams:
                stream.advance(run)
            course.table.events.append(run)
            course.places.append(place)

    def _deliver_disorder(self, disorder: Disorder, end: int, place: int) -> None:
        """Deliver what the rows up to `end` bring with disorder in them; `place` is that of their first packet."""
        course, state, packets = self._course, self._state, self._stretches.rows
        zeros = [stream.position - position for stream, position in zip(state.streams, self._positions, strict=True)]
        parts = [self._parts(disorder, larger, end) for larger in self._sides]
        for index, sides in enumerate(zip(*parts, strict=True)):
            if index:
                row, direction, _, gap = disorder.breaks[index - 1]
                packet = packets.item(self._first + row)
                place = 2 * packet + 2
                stream, by = state.streams[direction], course.batch.arrival(packet)
                if gap:
                    stream.give_up(stream.position + gap, by, course.table.events)
                else:
                    stream.deliver_first(by, course.table.events)
                course.places.extend([place] * (len(course.table.events) - len(course.places)))
            self._run(sides, place)
        for stream, side, zero in zip(state.streams, disorder.sides, zeros, strict=True):
            stream.acked = side.acked + zero
            stream.stood = stream.stood if side.stood is None else side.stood + zero
            stream.counters.out_of_order += side.out_of_order
            stream.counters.late_retransmissions += side.late
            stream.wait(self._waiting(side, zero), side.hole_at(zero))
        self._note_holes(disorder)

    def _waiting(self, side: Side, zero: int) -> list[Chunk]:
        """Give the payloads of rows that wait; `zero` is where the stream has the position 0 of the rows."""
        batch, rows, chunks = self._course.batch, self._stretches.rows, []
        for start, end, order, _ in side.pending:
            if order > side.begun:
                packet = rows.item(self._first + order - side.begun - 1)
                place = self._course.payload.item(packet)
                data = batch.data[place : place + end - start]
                chunks.append(Chunk(start + zero, end + zero, data, batch.arrival(packet), (), order))
        return chunks

    def _note_holes(self, disorder: Disorder) -> None:
        if not (disorder.waits or self._state.careful):
            return
        opened = disorder.opened
        if opened is not None and opened >= 0:
            opened = self._course.turn + self._stretches.rows.item(self._first + opened)
        self._course.table.holes.note(self._state, opened)

    def _parts(self, disorder: Disorder, larger: int, end: int) -> list[RunSide]:
        """Give the payloads up to the row `end` that come from an endpoint, those between two losses together."""
        stretches, part = self._stretches, slice(self._first, end)
        direction = self._sides.index(larger)
        rows = np.flatnonzero((stretches.larger[part] == larger) & (stretches.length[part] > 0)) + self._first
        start = stretches.start[rows]
        order = np.argsort(start, kind="stable")
        rows, start = rows[order], start[order]
        bounds = [0, *np.searchsorted(start, [each.positions[direction] for each in disorder.breaks]), len(rows)]
        if disorder.waits:
            bounds[-1] = np.searchsorted(start, disorder.sides[direction].position)
        by = [-1, *(int(stretches.rows[self._first + each.row]) for each in disorder.breaks)]
        return [
            _run_side(stretches, self._course.payload, rows[first:last], earliest)
            for (first, last), earliest in zip(pairwise(bounds), by, strict=True)
        ]


def _side(stream: Stream, shift: int, order: int) -> Side:
    """Give what a stream holds, its positions shifted, of a connection that has had `order` packets."""
    chunks = [(each.start + shift, each.end + shift, each.order, each.arrival.time) for each in stream.pending or ()]
    hole = stream.hole
    if hole is not None:
        hole = hole._replace(at=hole.at + shift, end=hole.end + shift)
    return Side(stream.position + shift, stream.acked + shift, stream.counters.packets, chunks, hole, order)


def _run_side(stretches: Stretches, payload: Numbers, rows: Numbers, earliest: int) -> RunSide:
    """Give payloads in stream order, none delivered before the packet `earliest` arrived."""
    if not len(rows):
        return NO_PAYLOADS
    packets, lengths = stretches.rows[rows], stretches.length[rows]
    ends = np.cumsum(lengths)
    shifts = payload[packets] + lengths - ends
    delivered_by = np.maximum(np.maximum.accumulate(packets), earliest)
    return RunSide(packets.data, ends.data, shifts.data, delivered_by.data, *largest_of(lengths))
