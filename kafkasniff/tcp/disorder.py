"""What `Stream` and `holes` would do with segments out of order and with holes, played on the columns of a stretch.

Only the usual is played: segments that come early or late, acknowledgements of what was not captured, and holes that
are proven lost. Anything else, such as repeated bytes, ends the play, and the packets go the careful way.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kafkasniff.tcp.columns import Marks, Numbers
from kafkasniff.tcp.hole import Hole
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.streams import FARTHEST, LATE_NS

_FIRST_BLOCK, _BLOCK = 8, 64
"""Packets that are looked at together: most disorder is short."""
_NEVER = 1 << 62
_Waiting = tuple[int, int, int, int]
"""Start, end, order and time of a payload that waits; see `chunks.Chunk`."""


class Rows(NamedTuple):
    """Columns of packets of one connection, with positions as in `Stretches`."""

    second: Marks
    """Whether a packet is of direction 1."""
    start: Numbers
    length: Numbers
    acknowledged: Numbers
    times: Numbers


class Loss(NamedTuple):
    """A gap."""

    row: int
    """The packet that proves it."""
    direction: int
    positions: tuple[int, int]
    """In both directions, what was delivered up to then."""
    length: int


class Side:
    """What `Stream` holds of one direction; see there."""

    __slots__ = (
        "acked",
        "hole",
        "late",
        "out_of_order",
        "packets",
        "pending",
        "position",
        "stood",
    )

    def __init__(self, position: int, acked: int, packets: int) -> None:
        """Begin where nothing waits and no hole is known."""
        self.position = position
        self.acked = acked
        self.packets = packets
        self.pending: list[_Waiting] = []
        self.out_of_order = 0
        self.late = 0
        """Late retransmissions."""
        self.stood: int | None = None
        """None where no empty segment changed it."""
        self.hole: Hole | None = None

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

    def lost(self, order: int, time: int, heard: int, limits: TcpLimits) -> Iterator[int]:
        """Give where each hole ends that is proven lost, as `holes.close_proven` does, and pass it then."""
        hole = self.hole
        if hole is None:
            return
        silent = hole.silence(order, time, self.packets, heard, limits, limits.reordering_packets)
        if silent is None:
            return
        if not self.pending:
            if silent or (self.acked >= hole.end and hole.end - self.position > 1):
                yield hole.end
                self.position = hole.end
            return
        through, count, seen = self.position, 0, hole.order
        for start, _, chunk_order, _ in self.pending:
            seen = chunk_order if count else min(seen, chunk_order)
            if order - seen < limits.reordering_packets or (start > self.acked and not silent):
                break
            through, count, silent = start, count + 1, False
        while self.pending and self.pending[0][0] <= through:
            if self.pending[0][0] > self.position:
                yield self.pending[0][0]
                self.position = self.pending[0][0]
            self._deliver()

    def _deliver(self) -> None:
        """Deliver what does not wait any more."""
        done = 0
        for start, end, _, _ in self.pending:
            if start > self.position:
                break
            self.position = end
            done += 1
        del self.pending[:done]


class Disorder:
    """Disorder among packets of a connection: from one that does not come next to where all is delivered again."""

    __slots__ = ("_limits", "_row", "_rows", "losses", "sides")

    def __init__(self, rows: Rows, sides: tuple[Side, Side], limits: TcpLimits) -> None:
        """Stand before the first of `rows`, with `sides` on which nothing waits."""
        self.sides = sides
        self.losses: list[Loss] = []
        self._rows = rows
        self._row = 0
        self._limits = limits

    def play(self, row: int, positions: tuple[int, int]) -> int | None:
        """Play the packets from `row` on, before which all was delivered up to `positions`.

        Give the row behind the last; None, and change nothing, where no end is seen.
        """
        kept = [(side.acked, side.out_of_order, side.late, side.packets, side.stood) for side in self.sides]
        losses = len(self.losses)
        passed = row - self._row
        of_second = int(np.count_nonzero(self._rows.second[self._row : row]))
        for side, position, packets in zip(self.sides, positions, (passed - of_second, of_second), strict=True):
            side.position = position
            side.packets += packets
            side.hole = None
        end = self._play(row)
        if end is None:
            for side, before in zip(self.sides, kept, strict=True):
                side.acked, side.out_of_order, side.late, side.packets, side.stood = before
                side.pending.clear()
            del self.losses[losses:]
        else:
            self._row = end
        return end

    def _play(self, row: int) -> int | None:
        rows, sides, due, first = self._rows, self.sides, 0, row
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
                    else:
                        return None
                elif row - 1 > first or start != own.position or acknowledged > peer.position:
                    own.stood = start
                if changed:
                    due = self._settle(row - 1, order, time)
                    if sides[0].settled and sides[1].settled:
                        return row
            size = _BLOCK
        return None

    def _settle(self, row: int, order: int, time: int) -> int:
        """Do what `ConnectionTable` does after a packet of a connection with a hole.

        Give the order of a packet before which that is nothing, if no hole opens, fills or moves.
        """
        first, second = self.sides
        due = _NEVER
        for direction, side, peer in ((0, first, second), (1, second, first)):
            side.look_for_hole(order, time, peer.packets)
            for end in side.lost(order, time, peer.packets, self._limits):
                positions = first.position, second.position
                self.losses.append(Loss(row, direction, positions, end - side.position))
            side.look_for_hole(order, time, peer.packets)
            if side.hole is not None:
                due = min(due, side.hole.order + self._limits.reordering_packets)
        return due


def _start(chunk: _Waiting) -> int:
    return chunk[0]
