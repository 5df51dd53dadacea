"""Where the bytes of many runs lie."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kafkasniff.calls.columns.calls import Numbers
from kafkasniff.calls.columns.talks import Talk
from kafkasniff.calls.pairing import WaitingRequest

_TWO_BYTES = 1 << 16


class Streams(NamedTuple):
    """The segments of many runs of one batch: of each run those of the client, then those of the server."""

    data: bytes
    """The batch's buffer."""
    bounds: Numbers
    """Where the segments of each stream begin, and at last their number; there are twice as many streams as runs."""
    places: Numbers
    """Of each segment: where in the buffer its bytes lie, …"""
    lengths: Numbers
    """… how many, …"""
    packets: Numbers
    """… and the packet that brought it by its index in the batch."""
    waiting: list[list[WaitingRequest]]
    """For each run: requests that wait for answers from earlier on."""
    limits: Numbers
    """For each stream: the size up to which a message needs no check before it is whole."""

    def sizes(self) -> Numbers:
        """Give the bytes of each stream."""
        found: Numbers = np.diff(np.append(0, np.cumsum(self.lengths))[self.bounds])
        return found


def ordered(numbers: Numbers) -> Numbers:
    """Give the indexes of numbers from zero on in ascending order, equal ones as they stand.

    What goes by packet is read from the buffer as it lies there, which is much faster.
    """
    # So are numbers of two bytes sorted.
    small = numbers.max(initial=0) < _TWO_BYTES
    order: Numbers = np.argsort(numbers.astype(np.uint16) if small else numbers, kind="stable")
    return order


def find_streams(talks: Sequence[Talk]) -> Streams:
    """Find what is left of the segments of runs, all of one batch."""
    nothing = np.zeros(0, np.int64)
    ends: list[Sequence[int] | Numbers] = [nothing]
    shifts: list[Sequence[int] | Numbers] = [nothing]
    packets: list[Sequence[int] | Numbers] = [nothing]
    bounds, starts, limits = [0], [], []
    for talk in talks:
        kafka = talk.kafka
        for direction in (kafka.client, 1 - kafka.client):
            side, start = talk.run.sides[direction], talk.starts[direction]
            first = bisect_right(side.ends, start) if start else 0
            if first < len(side.ends):
                for parts, column in ((ends, side.ends), (shifts, side.shifts), (packets, side.packets)):
                    parts.append(column[first:] if first else column)
            bounds.append(bounds[-1] + len(side.ends) - first)
            starts.append(start)
            limits.append(kafka.cutter(direction).whole_limit)
    end_of = np.concatenate(ends)
    bounds_of = np.array(bounds, np.int64)
    filled = np.flatnonzero(np.diff(bounds_of))
    start_of = np.roll(end_of, 1)
    start_of[bounds_of[filled]] = np.array(starts, np.int64)[filled]
    return Streams(
        talks[0].run.batch.data,
        bounds_of,
        start_of + np.concatenate(shifts),
        end_of - start_of,
        np.concatenate(packets),
        [talk.kafka.waiting for talk in talks],
        np.array(limits, np.int64),
    )
