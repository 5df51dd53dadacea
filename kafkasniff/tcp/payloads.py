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
    """Where those of each stretch begin that the smaller endpoint sent, then those of the larger one; and the end."""
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

    def side(self, number: int, larger: int, first: int, end: int) -> RunSide:
        """Give what comes from an endpoint in the rows `first` to `end` of a stretch, delivered as it arrives."""
        part = number + larger * (len(self.largest) // 2)
        begin, behind = self.firsts[part], self.firsts[part + 1]
        if begin == behind:
            return NO_PAYLOADS
        rows = self.rows
        if rows[begin] >= first and rows[behind - 1] < end:
            packets = self.packets[begin:behind]
            ends, shifts = self.ends[begin:behind], self.shifts[begin:behind]
            return RunSide(packets, ends, shifts, packets, self.largest[part], self.as_large[part])
        start, stop = bisect_left(rows, first, begin, behind), bisect_left(rows, end, begin, behind)
        if start == stop:
            return NO_PAYLOADS
        packets, ends, shifts = self.packets[start:stop], self.ends[start:stop], self.shifts[start:stop]
        if start > begin:
            before = self.ends[start - 1]
            ends, shifts = (np.array(ends) - before).data, (np.array(shifts) + before).data
        return RunSide(packets, ends, shifts, packets, *largest_of(np.diff(np.asarray(ends), prepend=0)))


def largest_of(lengths: Numbers) -> tuple[int, int]:
    """Give the largest of some lengths, and how many there are of it."""
    largest = int(lengths.max())
    return largest, int(np.count_nonzero(lengths == largest))


def find_payloads(stretches: Stretches, payload: Numbers) -> Payloads:
    """Find the payloads; `payload` gives for each packet of the batch where its payload stands in the buffer."""
    has_payload, larger = stretches.length > 0, stretches.larger
    of_smaller, of_larger = np.flatnonzero(has_payload & ~larger), np.flatnonzero(has_payload & larger)
    rows = np.concatenate((of_smaller, of_larger))
    bounds = np.append(np.searchsorted(of_smaller, stretches.starts), len(of_smaller))
    firsts = np.append(bounds[:-1], np.searchsorted(of_larger, [*stretches.starts, len(has_payload)]) + len(of_smaller))
    sizes = np.diff(firsts)
    packets, length = stretches.rows[rows], stretches.length[rows]
    ends = np.cumsum(length)
    ends -= np.repeat(np.append(0, ends)[firsts[:-1]], sizes)
    shifts = payload[packets] + length - ends
    largest = np.maximum.reduceat(np.append(length, 0), firsts[:-1]) if len(sizes) else sizes
    as_large = np.flatnonzero(length == np.repeat(largest, sizes))
    return Payloads(
        firsts.tolist(),
        largest.tolist(),
        np.diff(np.searchsorted(as_large, firsts)).tolist(),
        rows.data,
        packets.data,
        ends.data,
        shifts.data,
    )
