"""What `Stream` and `holes` would do with segments out of order and with holes, played on the columns of a stretch.

Only the usual is played: segments that come early or late, acknowledgements of what was not captured, and holes that
are proven lost. Anything else, such as repeated bytes, ends the play, and the packets go the careful way.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kafkasniff.tcp.columns import Marks, Numbers
from kafkasniff.tcp.hole import Hole
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.streams import FARTHEST, LATE_NS

_FIRST_BLOCK, _BLOCK = 8, 64
"""Packets that are looked at together: most disorder is short."""
_NEVER = 1 << 62
Waiting = tuple[int, int, int, int]
"""Start, end, order and time of a payload that waits; see `chunks.Chunk`."""


class Rows(NamedTuple):
    """Columns of packets of one connection, with positions as in `Stretches`."""

    second: Marks
    """Whether a packet is of direction 1."""
    start: Numbers
    length: Numbers
    acknowledged: Numbers
    times: Numbers


class Break(NamedTuple):
    """A gap, or a payload of an earlier batch that waits no more: what none of the rows brings."""

    row: int
    """The packet that proves the gap, or fills the hole."""
    direction: int
    positions: tuple[int, int]
    """In both directions, what was delivered up to then."""
    gap: int
    """Bytes of the gap; 0 for a payload that waited."""


class Side:
    """What `Stream` holds of one direction; see there."""

    __slots__ = (
        "acked",
        "begun",
        "breaks",
        "hole",
        "late",
        "out_of_order",
        "packets",
        "pending",
        "position",
        "stood",
    )

    def __init__(
        self,
        position: int,
        acked: int,
        packets: int,
        pending: Sequence[Waiting] = (),
        hole: Hole | None = None,
        begun: int = 0,
    ) -> None:
        """Begin with what waits and the hole before it, where the connection had had `begun` packets."""
        self.position = position
        self.acked = acked
        self.packets = packets
        self.begun = begun
        self.pending: list[Waiting] = [*pending]
        self.breaks: list[tuple[int, int]] = []
        """Positions at which a gap begins, or a payload that waited before all rows, with the bytes of the gap."""
        self.out_of_order = 0
        self.late = 0
        """Late retransmissions."""
        self.stood: int | None = None
        """None where no empty segment changed it."""
        self.hole = hole

    def hole_at(self, zero: int) -> Hole | None:
        """Give the hole with positions that count from `zero` on."""
        # A stream takes what was never acknowledged as acknowledged up to its position 0.
        return self.hole and self.hole._replace(at=self.hole.at + zero, end=max(self.hole.end + zero, 0))

    @property
    def settled(self) -> bool:
        """Tell whether all is delivered that was seen or acknowledged."""
        return not self.pending and self.acked <= self.position

    def take(self, start: int, end: int, order: int, time: int) -> bool:
        """Take a payload; False where some of its bytes came before."""
        pending = self.pending
        if start < self.position:
            return False
        if not pending and start == self.position:
            self.position = end
            return True
        if not pending or pending[-1][1] <= start:
            pending.append((start, end, order, time))
            return True
        index = bisect_right(pending, start, key=_start)
        if index == len(pending) or end > pending[index][0] or (index and pending[index - 1][1] > start):
            return False
        self.out_of_order += 1
        self.late += time - pending[index][3] > LATE_NS
        pending.insert(index, (start, end, order, time))
        self._deliver()
        return True

    def look_for_hole(self, order: int, time: int, heard: int) -> None:
        """Note since when the bytes at `position` are known to lack, as `holes.look_for_hole` does."""
        if self.pending:
            _, _, order, time = self.pending[0]
        elif self.acked <= self.position:
            self.hole = None
            return
        if self.hole is None or self.hole.at != self.position:
            self.hole = Hole(order, self.position, self.acked, time, self.packets, heard)

    def close_proven(self, order: int, time: int, heard: int, limits: TcpLimits) -> None:
        """Pass the holes that are proven lost, as `holes.close_proven` does."""
        hole = self.hole
        if hole is None:
            return
        silent = hole.silence(order, time, self.packets, heard, limits, limits.reordering_packets)
        if silent is None:
            return
        if not self.pending:
            if silent or (self.acked >= hole.end and hole.end - self.position > 1):
                self._give_up(hole.end)
            return
        through, count, seen = self.position, 0, hole.order
        for start, _, chunk_order, _ in self.pending:
            seen = chunk_order if count else min(seen, chunk_order)
            if order - seen < limits.reordering_packets or (start > self.acked and not silent):
                break
            through, count, silent = start, count + 1, False
        while self.pending and self.pending[0][0] <= through:
            if self.pending[0][0] > self.position:
                self._give_up(self.pending[0][0])
            self._deliver()

    def _give_up(self, end: int) -> None:
        self.breaks.append((self.position, end - self.position))
        self.position = end

    def _deliver(self) -> None:
        """Deliver what does not wait any more."""
        done = 0
        for start, end, order, _ in self.pending:
            if start > self.position:
                break
            if order <= self.begun:
                self.breaks.append((start, 0))
            self.position = end
            done += 1
        del self.pending[:done]


class Disorder:
    """Disorder among packets of a connection: from one that does not come next to where all is delivered again."""

    __slots__ = ("_limits", "_row", "_rows", "breaks", "opened", "refused", "sides", "waits")

    def __init__(self, rows: Rows, sides: tuple[Side, Side], limits: TcpLimits) -> None:
        """Stand before the first of `rows`."""
        self.sides = sides
        self.breaks: list[Break] = []
        self.waits = False
        """Whether something still waits behind the last row."""
        self.opened: int | None = None
        """The row at which the holes opened that there are, -1 where that was before all rows; None without holes."""
        self.refused = 0
        """The row that was not understood last."""
        self._rows = rows
        self._row = 0
        self._limits = limits

    def play(self, row: int, positions: tuple[int, int]) -> int | None:
        """Play the packets from `row` on, before which all was delivered up to `positions`.

        Give the row behind the last; None, and change nothing, where one of them is not understood.
        """
        kept = [(side.acked, side.out_of_order, side.late, side.packets, side.stood) for side in self.sides]
        breaks = len(self.breaks)
        self.opened = None
        passed = row - self._row
        of_second = int(np.count_nonzero(self._rows.second[self._row : row]))
        for side, position, packets in zip(self.sides, positions, (passed - of_second, of_second), strict=True):
            side.position = position
            side.packets += packets
            side.hole = None
        end = self._play(row, row)
        if end is None:
            for side, before in zip(self.sides, kept, strict=True):
                side.acked, side.out_of_order, side.late, side.packets, side.stood = before
                side.pending.clear()
            del self.breaks[breaks:]
        else:
            self._row = end
        return end

    def go_on(self) -> int | None:
        """Play the packets from the first row on, before which something waits, as `play` does."""
        self.opened = -1
        end = self._play(0, -1)
        self._row = end or 0
        return end

    def _play(self, row: int, first: int) -> int | None:
        """Play from `row` on; of an empty segment in the row `first` that comes next nothing would be noted."""
        rows, sides, due = self._rows, self.sides, 0
        order = sides[0].packets + sides[1].packets
        size = _FIRST_BLOCK
        while row < len(rows.start):
            block = slice(row, row + size)
            columns = [column[block].tolist() for column in rows]
            for second, start, length, acknowledged, time in zip(*columns, strict=True):
                own, peer = sides[second], sides[not second]
                row += 1
                order += 1
                own.packets += 1
                changed = order >= due
                if acknowledged > peer.position:
                    if acknowledged > peer.position + FARTHEST:
                        self.refused = row - 1
                        return None
                    changed |= not peer.pending
                    peer.acked = max(peer.acked, acknowledged)
                if length:
                    pending = own.pending
                    if pending and pending[-1][1] <= start:
                        pending.append((start, start + length, order, time))
                    elif not pending and start == own.position >= own.acked:
                        own.position += length
                    elif own.take(start, start + length, order, time):
                        changed = True
                        if own.breaks:
                            self._note_breaks(row - 1, second)
                    else:
                        self.refused = row - 1
                        return None
                elif row - 1 > first or start != own.position or acknowledged > peer.position:
                    own.stood = start
                if changed:
                    due = self._settle(row - 1, order, time)
                    if sides[0].settled and sides[1].settled:
                        return row
            size = _BLOCK
        self.waits = True
        return row

    def _settle(self, row: int, order: int, time: int) -> int:
        """Do what `ConnectionTable` does after a packet of a connection with a hole.

        Give the order of a packet before which that is nothing, if no hole opens, fills or moves.
        """
        first, second = self.sides
        due = _NEVER
        for direction, side, peer in ((0, first, second), (1, second, first)):
            side.look_for_hole(order, time, peer.packets)
            side.close_proven(order, time, peer.packets, self._limits)
            if side.breaks:
                self._note_breaks(row, direction)
            side.look_for_hole(order, time, peer.packets)
            if side.hole is not None:
                due = min(due, side.hole.order + self._limits.reordering_packets)
        if first.hole is None and second.hole is None:
            self.opened = None
        elif self.opened is None:
            self.opened = row
        return due

    def _note_breaks(self, row: int, direction: int) -> None:
        side, other = self.sides[direction], self.sides[1 - direction].position
        for position, gap in side.breaks:
            positions = (other, position) if direction else (position, other)
            self.breaks.append(Break(row, direction, positions, gap))
        side.breaks.clear()


def _start(chunk: Waiting) -> int:
    return chunk[0]
