"""The payloads of stretches by direction, of all stretches at once: what runs in order are made of."""

from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from kafkasniff.tcp.columns import Numbers
from kafkasniff.tcp.events import NO_PAYLOADS, RunSide
from kafkasniff.tcp.runs import Stretches


class Payloads(NamedTuple):
    """The rows of stretches that have a payload: those of a stretch and direction together, in packet order.

    Memory views give plain numbers, and parts of them are not copied.
    """

    firsts: list[int]
    """Where those of a stretch begin that the smaller endpoint sent, and those of the larger one; and the end."""
    largest: list[int]
    """Bytes of the largest payload of each such part, which mean nothing where there is none, …"""
    as_large: list[int]
    """… and how many have as many."""
    rows: memoryview
    """Index of the row among those of all stretches."""
    packets: memoryview
    ends: memoryview
    """Bytes of the direction from the stretch's beginning to the payload's end."""
    shifts: memoryview
    """What a byte's position in the batch's buffer is more than its distance from the stretch's beginning."""
    length_before: memoryview
    """For each row of all stretches and one more: bytes of all payloads before it …"""
    larger_before: memoryview
    """… and rows before it that come from the larger endpoint."""

    def side(self, number: int, larger: int, first: int, end: int) -> RunSide:
        """Give what comes from an endpoint in the rows `first` to `end` of a stretch, delivered as it arrives."""
        begin, behind = self.firsts[2 * number + larger : 2 * number + larger + 2]
        start, stop = bisect_left(self.rows, first, begin, behind), bisect_left(self.rows, end, begin, behind)
        if start == stop:
            return NO_PAYLOADS
        packets, ends, shifts = self.packets[start:stop], self.ends[start:stop], self.shifts[start:stop]
        largest, as_large = self.largest[2 * number + larger], self.as_large[2 * number + larger]
        if start > begin:
            before = self.ends[start - 1]
            ends, shifts = (np.array(ends) - before).data, (np.array(shifts) + before).data
        if stop - start < behind - begin:
            largest, as_large = largest_of(np.diff(np.asarray(ends), prepend=0))
        return RunSide(packets, ends, shifts, packets, largest, as_large)


def largest_of(lengths: Numbers) -> tuple[int, int]:
    """Give the largest of some lengths, and how many there are of it."""
    largest = int(lengths.max())
    return largest, int(np.count_nonzero(lengths == largest))


def find_payloads(stretches: Stretches, payload: Numbers) -> Payloads:
    """Find the payloads; `payload` gives for each packet of the batch where its payload stands in the buffer."""
    count = len(stretches.starts)
    sizes = np.array(stretches.ends, np.int64) - np.array(stretches.starts, np.int64)
    side = 2 * np.repeat(np.arange(count), sizes) + stretches.larger
    rows = np.flatnonzero(stretches.length)
    rows = rows[np.argsort(side[rows], kind="stable")]
    firsts = np.searchsorted(side[rows], np.arange(2 * count + 1))
    packets, length = stretches.rows[rows], stretches.length[rows]
    ends = np.cumsum(length)
    before = np.append(0, ends)[firsts]
    ends -= before[side[rows]]
    shifts = payload[packets] + length - ends
    largest = np.maximum.reduceat(np.append(length, 0), firsts[:-1]) if count else firsts[:0]
    as_large = np.append(0, np.cumsum(length == largest[side[rows]]))
    return Payloads(
        firsts.tolist(),
        largest.tolist(),
        np.diff(as_large[firsts]).tolist(),
        rows.data,
        packets.data,
        ends.data,
        shifts.data,
        np.append(0, np.cumsum(stretches.length)).data,
        np.append(0, np.cumsum(stretches.larger)).data,
    )
