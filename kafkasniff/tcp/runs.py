"""Finds, in the columns of a batch, the packets of one connection that follow each other without anything odd."""

from typing import NamedTuple

import numpy as np

from kafkasniff.tcp.chunks import MASK
from kafkasniff.tcp.columns import Marks, Numbers, SegmentColumns, gather

SHORTEST_RUN = 8
"""Packets from which on a run is worth its fixed cost."""

_FIN_SYN_RST_ACK = 0x17
_ACK = 0x10
_SYN = 2
_HALF = 1 << 31
_IPV6_KEY = np.dtype("S36")


class Runs(NamedTuple):
    """Rows sorted by connection, and the runs among them."""

    rows: Numbers
    """Packet indexes in the batch, those of one connection together and in packet order."""
    source_larger: Marks
    """For each sorted row its direction within the connection, told by the numbers of the endpoints."""
    starts: Numbers
    """Where in `rows` each run begins …"""
    ends: Numbers
    """… and ends."""


def find_runs(columns: SegmentColumns, data: bytes, rows: Numbers) -> Runs:
    """Find the runs among `rows`, packet indexes in ascending order; `data` is the batch's buffer.

    Within a run each segment has only the ACK flag (and PSH), an open window, follows the one before it in its
    direction, and acknowledges nothing that has not been seen. The caller checks what the run's first segment in each
    direction follows, and whether both directions are of one connection.
    """
    source, destination = columns.source[rows], columns.destination[rows]
    larger = source > destination
    connection = source + destination
    connection ^= connection >> np.uint64(30)
    order = np.argsort(connection, kind="stable")
    connection, larger, rows = connection[order], larger[order], rows[order]
    new = np.empty(len(rows), np.bool_)
    new[:1] = True
    np.not_equal(connection[1:], connection[:-1], out=new[1:])
    usual = columns.common & (columns.flags & _FIN_SYN_RST_ACK == _ACK) & (columns.window > 0)
    # Equal numbers at both ends do not tell the directions apart.
    plain = usual[rows] & (source != destination)[order]
    sequence, length = columns.sequence[rows], columns.length[rows]
    before, peer = _latest_before(larger, np.flatnonzero(new), new)
    end = (sequence + length + (columns.flags[rows] & _SYN != 0)) & MASK
    follows = (before < 0) | ((end[before] == sequence) & _same_key(columns, data, rows, rows[before]))
    seen = (peer < 0) | ((end[peer] - columns.acknowledgement[rows]) & MASK < _HALF)
    chained = plain & follows & seen & ~new
    # A run begins at a plain row that does not continue the row above it, or stands below one that is not plain.
    begins = plain & ~chained
    begins[1:] |= plain[1:] & ~plain[:-1]
    starts = np.flatnonzero(begins)
    breaks = np.append(np.flatnonzero(begins | ~plain), len(rows))
    ends = breaks[np.searchsorted(breaks, starts, side="right")]
    long = ends - starts >= SHORTEST_RUN
    return Runs(rows, larger, starts[long], ends[long])


def _same_key(columns: SegmentColumns, data: bytes, rows: Numbers, others: Numbers) -> Marks:
    """Tell for each row whether the row beside it in `others` has the same addresses and ports."""
    same: Marks = (columns.source[rows] == columns.source[others]) & (
        columns.destination[rows] == columns.destination[others]
    )
    wide = columns.key_length[rows] == _IPV6_KEY.itemsize
    if wide.any():
        keys, other_keys = (gather(data, columns.key_at[each], _IPV6_KEY) for each in (rows, others))
        same &= ~wide | ((keys == other_keys) & (columns.key_length[others] == _IPV6_KEY.itemsize))
    return same


def _latest_before(larger: Marks, group_starts: Numbers, new: Marks) -> tuple[Numbers, Numbers]:
    """Give for each row the latest row above it in its connection of the same and of the other direction, or -1."""
    size = len(larger)
    places = np.arange(size)
    floor = np.repeat(group_starts, np.diff(np.append(group_starts, size)))
    latest = []
    for direction in (False, True):
        last = np.maximum.accumulate(np.where(larger == direction, places, -1))
        exclusive = np.empty_like(last)
        exclusive[:1] = -1
        exclusive[1:] = last[:-1]
        latest.append(np.where(exclusive >= floor, exclusive, -1))
    of_small, of_large = latest
    return np.where(larger, of_large, of_small), np.where(larger, of_small, of_large)
