"""Finds, in the columns of a batch, stretches of usual packets of one connection, and what in them is out of order."""

from typing import NamedTuple

import numpy as np

from kafkasniff.tcp.columns import Endpoints, Marks, Numbers, SegmentColumns, gather, selection
from kafkasniff.tcp.streams import FARTHEST

SHORTEST_RUN = 8
"""Packets from which on a run is worth its fixed cost."""

_FIN_SYN_RST_ACK = 0x17
_ACK = 0x10
_HALF = 1 << 31
_FARTHEST_ACK = 1 << 30
_APART = 1 << 33
"""Between the numbers of one stretch and those of the next, so that one maximum runs through all."""
_IPV6_KEY = np.dtype(
    {
        "names": ["addresses", "ports"],
        "formats": [("S16", (2,)), ("S2", (2,))],
        "offsets": [0, 32],
        "itemsize": 36,
    }
)


class Stretches(NamedTuple):
    """The rows of all stretches, those of one stretch together and in packet order.

    Within a stretch each packet of the connection is plain: it has only the ACK flag (and PSH) and an open window. The
    connection's other packets lie between stretches. Positions count from a base in each direction: the first row of
    the direction in the stretch, or what the other direction's first row acknowledges.
    """

    starts: list[int]
    """Where among the rows each stretch begins …"""
    ends: list[int]
    """… and ends."""
    rows: Numbers
    """Packet index in the batch."""
    larger: Marks
    """The direction within the connection, told by the numbers of the endpoints."""
    start: Numbers
    """Position of the payload in its direction."""
    length: Numbers
    acknowledged: Numbers
    """Position in the other direction."""
    reached: tuple[Numbers, Numbers]
    """For each direction (of the larger endpoint last) the farthest end of a payload before the row."""
    odd: list[int]
    """Rows that do not begin there, or acknowledge more than was seen. All others come next in their direction, if all
    before them was delivered."""
    bases: tuple[list[int], list[int]]
    """For each direction and stretch the sequence number of position 0."""
    both_ways: list[bool]
    """For each stretch, whether both directions have rows. If not, what the rows before acknowledged is `reached` in
    the other direction."""


def find_stretches(columns: SegmentColumns, data: bytes, rows: Numbers) -> Stretches:
    """Find the stretches among `rows`, packet indexes in ascending order; `data` is the batch's buffer.

    The caller checks what the first row of a stretch follows, and whether both directions are of one connection.
    """
    rows, larger, sizes = _find_plain(columns, data, rows)
    count, stops = len(sizes), np.cumsum(sizes)
    starts = stops - sizes
    # Of each row the direction among those of all stretches.
    stream = np.repeat(np.arange(0, 2 * count, 2), sizes) + larger
    sequence, length, acknowledgement = columns.sequence[rows], columns.length[rows], columns.acknowledgement[rows]
    turns = np.append(np.flatnonzero(larger[1:] != larger[:-1]) + 1, len(rows))
    turned = turns[np.searchsorted(turns, starts, side="right")]
    both_ways = turned < stops
    first = stream[starts]
    bases = np.empty(2 * count, np.int64)
    bases[first] = sequence[starts]
    bases[first ^ 1] = np.where(both_ways, sequence[np.where(both_ways, turned, 0)], acknowledgement[starts])
    start, acknowledged = stream_distance(sequence, bases[stream]), stream_distance(acknowledgement, bases[stream ^ 1])
    end = start + length
    payload_end = np.where(length > 0, end, 0)
    apart = np.repeat(np.arange(count) * _APART, sizes)
    reached = (
        _maximum_before(np.where(larger, 0, payload_end), apart, starts, 0),
        _maximum_before(np.where(larger, payload_end, 0), apart, starts, 0),
    )
    if not both_ways.all():
        seen = _maximum_before(acknowledged, apart, starts, -_HALF)
        of_larger, of_smaller = (np.repeat(both_ways | (first & 1 == side), sizes) for side in (1, 0))
        reached = np.where(of_smaller, reached[0], seen), np.where(of_larger, reached[1], seen)
    odd = start != np.where(larger, reached[1], reached[0])
    odd |= (acknowledged > np.where(larger, reached[0], reached[1])) | (acknowledged < -_FARTHEST_ACK)
    if count:
        spread = np.maximum.reduceat(end, starts) - np.minimum(np.minimum.reduceat(start, starts), 0)
        odd |= np.repeat(spread > FARTHEST, sizes)
    return Stretches(
        starts.tolist(),
        stops.tolist(),
        rows,
        larger,
        start,
        length,
        acknowledged,
        reached,
        np.flatnonzero(odd).tolist(),
        (bases[::2].tolist(), bases[1::2].tolist()),
        both_ways.tolist(),
    )


def _find_plain(columns: SegmentColumns, data: bytes, rows: Numbers) -> tuple[Numbers, Marks, Numbers]:
    """Sort rows by connection; give packet index and direction of those in stretches, and the size of each stretch."""
    part = selection(rows)
    source, destination = columns.source[part], columns.destination[part]
    # Equal numbers at both ends do not tell the directions apart.
    plain = columns.common[part] & (source != destination)
    plain &= (columns.flags[part] & _FIN_SYN_RST_ACK == _ACK) & (columns.window[part] > 0)
    connection = source + destination
    connection ^= connection >> np.uint64(30)
    order = together(connection)
    rows, larger = rows[order], (source > destination)[order]
    both = connection[order], np.minimum(source, destination)[order]
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = differs_from_above(columns, data, rows, larger, both)
    if not plain.all():
        plain = plain[order]
        begins[1:] |= plain[1:] != plain[:-1]
    starts = np.flatnonzero(begins)
    sizes = np.diff(np.append(starts, len(rows)))
    chosen = plain[starts] & (sizes >= SHORTEST_RUN)
    if not chosen.all():
        members = np.repeat(chosen, sizes)
        rows, larger, sizes = rows[members], larger[members], sizes[chosen]
    return rows, larger, sizes


def together(numbers: Endpoints) -> Numbers:
    """Give an order in which equal numbers stand together, each as they stood."""
    # Numbers of two bytes are sorted much faster. Two bytes tell few connections apart, and four nearly all.
    order = np.argsort((numbers >> np.uint64(48)).astype(np.uint16), kind="stable")
    if _shares_upper(numbers[order], 48):
        order = np.argsort((numbers >> np.uint64(32)).astype(np.uint16), kind="stable")
        order = order[np.argsort((numbers[order] >> np.uint64(48)).astype(np.uint16), kind="stable")]
        if _shares_upper(numbers[order], 32):
            return np.argsort(numbers, kind="stable")
    return order


def _shares_upper(numbers: Endpoints, bits: int) -> bool:
    """Tell whether a number has all but the lower `bits` in common with the one before it, which is another."""
    # Of equal numbers the difference wraps.
    return bool(((numbers[1:] ^ numbers[:-1]) - np.uint64(1) < np.uint64((1 << bits) - 1)).any())


def differs_from_above(
    columns: SegmentColumns, data: bytes, rows: Numbers, larger: Marks, numbers: tuple[Endpoints, Endpoints]
) -> Marks:
    """Tell for each row but the first whether it is of another connection than the row above it.

    `numbers` tell connections of IPv4 apart: what is made of the sum of the endpoints' numbers, and the smaller one.
    """
    first, second = numbers
    differs: Marks = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    wide = columns.key_length[rows] == _IPV6_KEY.itemsize
    if wide.any():
        differs |= wide[1:] != wide[:-1]
        keys = gather(data, columns.key_at[rows], _IPV6_KEY)
        turned = larger[:, None]
        for field in ("addresses", "ports"):
            ends = np.where(turned, keys[field][:, ::-1], keys[field])
            differs |= wide[1:] & (ends[1:] != ends[:-1]).any(axis=1)
    return differs


def _maximum_before(values: Numbers, apart: Numbers, starts: Numbers, least: int) -> Numbers:
    """Give for each row the largest value above it in its stretch; `least` where there is none."""
    maximum = np.maximum.accumulate(values + apart) - apart
    before = np.empty_like(maximum)
    before[1:] = maximum[:-1]
    before[starts] = least
    return before


def stream_distance(sequence: Numbers, base: Numbers) -> Numbers:
    """Give how far sequence numbers lie after a base, as `chunks.distance` does."""
    # Four bytes of the difference are what wraps.
    return (sequence - base).astype(np.int32).astype(np.int64)
