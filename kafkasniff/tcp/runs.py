"""Finds, in the columns of a batch, stretches of usual packets of one connection, and what in them is out of order."""

from typing import NamedTuple

import numpy as np

from kafkasniff.tcp.chunks import MASK
from kafkasniff.tcp.columns import Endpoints, Marks, Numbers, SegmentColumns, gather
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
    rows, larger, starts, ends = _find_plain(columns, data, rows)
    sizes = ends - starts
    starts = np.cumsum(sizes) - sizes
    group = np.repeat(np.arange(len(starts)), sizes)
    sequence, length, acknowledgement = columns.sequence[rows], columns.length[rows], columns.acknowledgement[rows]
    firsts = [_first(larger == side, starts) for side in (False, True)]
    found = [first < len(rows) for first in firsts]
    bases = [
        np.where(has, sequence[np.where(has, first, 0)], acknowledgement[starts])
        for first, has in zip(firsts, found, strict=True)
    ]
    own, peer = (np.where(larger, bases[1 - side][group], bases[side][group]) for side in (0, 1))
    start, acknowledged = stream_distance(sequence, own), stream_distance(acknowledgement, peer)
    apart = group * _APART
    reached = [
        _maximum_before(np.where((larger == side) & (length > 0), start + length, 0), apart, starts, 0)
        for side in (False, True)
    ]
    both_ways = found[0] & found[1]
    if not both_ways.all():
        seen = _maximum_before(acknowledged, apart, starts, -_HALF)
        reached = [np.where(has[group], ends, seen) for has, ends in zip(found, reached, strict=True)]
    behind, seen = np.where(larger, reached[::-1], reached)
    odd = (start != behind) | (acknowledged > seen) | (acknowledged < -_FARTHEST_ACK)
    if len(starts):
        spread = np.maximum.reduceat(start + length, starts) - np.minimum(np.minimum.reduceat(start, starts), 0)
        odd |= (spread > FARTHEST)[group]
    return Stretches(
        starts.tolist(),
        (starts + sizes).tolist(),
        rows,
        larger,
        start,
        length,
        acknowledged,
        (reached[0], reached[1]),
        np.flatnonzero(odd).tolist(),
        (bases[0].tolist(), bases[1].tolist()),
        both_ways.tolist(),
    )


def _find_plain(columns: SegmentColumns, data: bytes, rows: Numbers) -> tuple[Numbers, Marks, Numbers, Numbers]:
    """Sort rows by connection; give packet index and direction of those in stretches, and where each begins and ends.

    Beginnings and ends count all rows.
    """
    source, destination = columns.source[rows], columns.destination[rows]
    connection = source + destination
    connection ^= connection >> np.uint64(30)
    order = together(connection)
    rows, source, destination = rows[order], source[order], destination[order]
    larger = source > destination
    # Equal numbers at both ends do not tell the directions apart.
    plain = columns.common[rows] & (source != destination)
    plain &= (columns.flags[rows] & _FIN_SYN_RST_ACK == _ACK) & (columns.window[rows] > 0)
    begins = plain.copy()
    begins[1:] &= ~plain[:-1] | differs_from_above(columns, data, rows, source, destination)
    starts = np.flatnonzero(begins)
    breaks = np.append(np.flatnonzero(begins | ~plain), len(rows))
    ends = breaks[np.searchsorted(breaks, starts, side="right")]
    long = ends - starts >= SHORTEST_RUN
    starts, ends = starts[long], ends[long]
    marks = np.zeros(len(rows) + 1, np.int64)
    marks[starts] += 1
    marks[ends] -= 1
    member = np.cumsum(marks[:-1]) > 0
    return rows[member], larger[member], starts, ends


def together(numbers: Endpoints) -> Numbers:
    """Give an order in which equal numbers stand together, each as they stood."""
    # Numbers of two bytes are sorted much faster, and four bytes of these tell nearly all apart.
    order = np.argsort((numbers >> np.uint64(32)).astype(np.uint16), kind="stable")
    order = order[np.argsort((numbers[order] >> np.uint64(48)).astype(np.uint16), kind="stable")]
    found = numbers[order]
    upper = found >> np.uint64(32)
    if np.count_nonzero((found[1:] != found[:-1]) & (upper[1:] == upper[:-1])):
        return np.argsort(numbers, kind="stable")
    return order


def differs_from_above(
    columns: SegmentColumns, data: bytes, rows: Numbers, source: Endpoints, destination: Endpoints
) -> Marks:
    """Tell for each row but the first whether it is of another connection than the row above it."""
    lengths = columns.key_length[rows]
    differs: Marks = lengths[1:] != lengths[:-1]
    for side in (np.minimum, np.maximum):
        numbers = side(source, destination)
        differs |= numbers[1:] != numbers[:-1]
    wide = lengths == _IPV6_KEY.itemsize
    if wide.any():
        keys = gather(data, columns.key_at[rows], _IPV6_KEY)
        turned = (source > destination)[:, None]
        for field in ("addresses", "ports"):
            ends = np.where(turned, keys[field][:, ::-1], keys[field])
            differs |= wide[1:] & (ends[1:] != ends[:-1]).any(axis=1)
    return differs


def _first(marks: Marks, starts: Numbers) -> Numbers:
    """Give for each stretch its first row that is marked, or a number behind all rows."""
    if not len(starts):
        return starts
    behind = len(marks)
    first: Numbers = np.minimum.reduceat(np.where(marks, np.arange(behind), behind), starts)
    return first


def _maximum_before(values: Numbers, apart: Numbers, starts: Numbers, least: int) -> Numbers:
    """Give for each row the largest value above it in its stretch; `least` where there is none."""
    maximum = np.maximum.accumulate(values + apart) - apart
    before = np.empty_like(maximum)
    before[1:] = maximum[:-1]
    before[starts] = least
    return before


def stream_distance(sequence: Numbers, base: Numbers) -> Numbers:
    """Give how far sequence numbers lie after a base, as `chunks.distance` does."""
    return ((sequence - base + _HALF) & MASK) - _HALF
