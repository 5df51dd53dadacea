"""Finds whole connections in the columns of a batch: opened, used and closed by both ends, with nothing odd between.

Of such a life the careful path would tell nothing but its data in packet order, so that it is taken without any state.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import repeat

import numpy as np

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.chunks import MASK
from kafkasniff.tcp.columns import Marks, Numbers, SegmentColumns, selection
from kafkasniff.tcp.ended import Ended
from kafkasniff.tcp.events import (
    Connection,
    ConnectionEnd,
    ConnectionStart,
    DirectionCounters,
    Endpoint,
    StreamData,
    StreamEvent,
    StreamFin,
)
from kafkasniff.tcp.runs import differs_from_above, stream_distance
from kafkasniff.tcp.segments import address_text, split

FEWEST = 16
"""Connections that must begin in a batch for a look at all of its packets to pay."""

_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
_FIN_SYN_RST_ACK = 0x17
_HANDSHAKE = 3
_SHORTEST = 5
"""Packets of a handshake and two FINs."""
LONGEST = 64
"""Packets up to which a life is looked at: of longer ones the stretches between their ends are runs."""


@dataclass(slots=True, eq=False)
class Lives:
    """Connections that began and ended in a batch, in the order in which they ended: one row for each.

    Direction 0 is that of the SYN. Directions are columns where there are two of them.
    """

    batch: PacketBatch
    keys: list[tuple[bytes, bytes]]
    """The `FlowKey` of each direction."""
    syn: Numbers
    """Packets by their index in the batch: the SYN …"""
    syn_ack: Numbers
    fins: Numbers
    """… and the FIN of each direction; with the later one the connection ends."""
    round_trip_ns: Numbers
    packets: Numbers
    """How many came in each direction until the end."""
    initials: Numbers
    """Sequence numbers of SYN and SYN-ACK."""
    data_bytes: Numbers
    segment_bounds: Numbers
    """Where the segments of each direction begin, first those of row 0 in direction 0; and at last their number."""
    segment_packets: Numbers
    """Of each segment with data: its packet, …"""
    segment_places: Numbers
    """… where its payload lies in the buffer, …"""
    segment_lengths: Numbers
    """… and the bytes of it."""
    late: Numbers
    """Packets that came behind the end."""
    _connections: dict[int, Connection] = field(default_factory=dict)

    def __len__(self) -> int:
        """Give the number of connections."""
        return len(self.keys)

    @property
    def ends(self) -> Numbers:
        """Give the packet with which each connection ends."""
        ends: Numbers = self.fins.max(axis=1)
        return ends

    def where(self, chosen: Marks) -> "Lives":
        """Give some of them."""
        sizes = np.diff(self.segment_bounds)
        marks = np.repeat(chosen, 2)
        segments = np.repeat(marks, sizes)
        return replace(
            self,
            keys=[key for key, each in zip(self.keys, chosen.tolist(), strict=True) if each],
            **{
                name: getattr(self, name)[chosen]
                for name in ("syn", "syn_ack", "fins", "round_trip_ns", "packets", "initials", "data_bytes", "late")
            },
            segment_bounds=np.append(0, np.cumsum(sizes[marks])),
            **{
                name: getattr(self, name)[segments] for name in ("segment_packets", "segment_places", "segment_lengths")
            },
            _connections={},
        )

    def names(self) -> tuple[list[str], list[str]]:
        """Give the endpoints of each connection as text: those that opened it, and the others."""
        addresses: dict[bytes, str] = {}

        def name(key: bytes) -> str:
            source = key[: len(key) // 2 - 2]
            before = addresses.get(source)
            if before is None:
                before = addresses[source] = str(Endpoint(address_text(source), 0))[:-1]
            return before + str(int.from_bytes(key[-4:-2], "big"))

        return [name(key) for key, _ in self.keys], [name(other) for _, other in self.keys]

    def remembered(self) -> list[tuple[bytes, Ended]]:
        """Give what is to be remembered of each connection, by the smaller of its keys."""
        times = np.frombuffer(self.batch.times, np.int64)[self.ends].tolist()
        sequences = ((self.initials + 1 + self.data_bytes) & MASK).T.tolist()
        keys = [key for key, _ in self.keys]
        ended = zip(repeat(0), times, keys, zip(*sequences, strict=True), zip(*self.initials.T.tolist(), strict=True))
        return [(min(both), Ended._make(each)) for both, each in zip(self.keys, ended, strict=True)]

    def connection(self, row: int) -> Connection:
        """Give one of the connections: the same each time."""
        known = self._connections.get(row)
        if known is not None:
            return known
        arrival = self.batch.arrival
        source, destination = split(self.keys[row][0])
        fins: tuple[int, int] = tuple(self.fins[row].tolist())
        connection = Connection(
            (Endpoint(*source), Endpoint(*destination)),
            0,
            arrival(self.syn.item(row)),
            arrival(max(fins)),
            initiator=0,
            round_trip_ns=self.round_trip_ns.item(row),
            ended_by="fin",
            ended_direction=fins.index(min(fins)),
            first_fin=arrival(min(fins)),
        )
        counts = zip(self.packets[row].tolist(), self.data_bytes[row].tolist(), strict=True)
        first, second = (DirectionCounters(packets=packets, data_bytes=size) for packets, size in counts)
        connection.counters = (first, second)
        self._connections[row] = connection
        return connection

    def segment(self, row: int, direction: int, index: int) -> StreamData:
        """Give a segment of a direction by its number."""
        index += self.segment_bounds.item(2 * row + direction)
        place, length = self.segment_places.item(index), self.segment_lengths.item(index)
        arrival = self.batch.arrival(self.segment_packets.item(index))
        return StreamData(self.connection(row), direction, self.batch.data[place : place + length], arrival, arrival)

    def events(self, row: int) -> list[tuple[int, StreamEvent]]:
        """Give what the careful path would tell of a connection, in order, with places as `ColumnPath.places`."""
        return sorted(self._events(row), key=lambda pair: pair[0])

    def _events(self, row: int) -> Iterator[tuple[int, StreamEvent]]:
        connection, arrival = self.connection(row), self.batch.arrival
        yield 2 * self.syn_ack.item(row) + 1, ConnectionStart(connection)
        for direction in (0, 1):
            begin, end = self.segment_bounds[2 * row + direction : 2 * row + direction + 2].tolist()
            for index, packet in enumerate(self.segment_packets[begin:end].tolist()):
                yield 2 * packet + 1, self.segment(row, direction, index)
        fins = self.fins[row].tolist()
        for direction, fin in enumerate(fins):
            yield 2 * fin + 1, StreamFin(connection, direction, arrival(fin))
        yield 2 * max(fins) + 1, ConnectionEnd(connection, arrival(max(fins)))


def count_beginnings(columns: SegmentColumns, rows: Numbers) -> int:
    """Count the packets that may open a connection."""
    return int(np.count_nonzero(columns.flags[selection(rows)] & _FIN_SYN_RST_ACK == _SYN))


def find_lives(columns: SegmentColumns, batch: PacketBatch, rows: Numbers) -> tuple[Lives, Numbers, Numbers]:
    """Find the lives among `rows`, packet indexes in ascending order, that are all of their connections in the batch.

    Gives them, the packets that they are made of, and of each of these the life, a row.
    """
    rows, second, starts = _find_opened(columns, batch.data, rows)
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    good, fins, late = _judge(columns, rows, second, starts, group)
    chosen = np.flatnonzero(good)
    chosen = chosen[np.argsort(fins[chosen].max(axis=1), kind="stable")]
    life = np.full(len(starts), -1, np.int64)
    life[chosen] = np.arange(len(chosen))
    of = life[group]
    members = np.flatnonzero(of >= 0)
    rows, of, late = rows[members], of[members], late[members]
    opening = rows[np.searchsorted(members, starts[chosen])[:, None] + np.arange(_HANDSHAKE)]
    lives = _lives_of(columns, batch, opening, fins[chosen], rows[~late], 2 * of[~late] + second[members][~late])
    lives.late = np.bincount(of[late], minlength=len(chosen))
    return lives, rows, of


def _judge(
    columns: SegmentColumns, rows: Numbers, second: Marks, starts: Numbers, group: Numbers
) -> tuple[Marks, Numbers, Marks]:
    """Tell which opened connections are lives, the packets of the FINs, and which rows came behind both FINs."""
    flags, length = columns.flags[rows] & _FIN_SYN_RST_ACK, columns.length[rows]
    sequence, acknowledgement = columns.sequence[rows], columns.acknowledgement[rows]
    fin, own = flags & _FIN != 0, second.astype(np.int64)
    first = np.stack((sequence[starts], sequence[np.minimum(starts + 1, max(len(rows) - 1, 0))]), axis=1) + 1
    start = stream_distance(sequence, first[group, own])
    acknowledged = stream_distance(acknowledgement, first[group, 1 - own])
    before = [_sum_before(np.where(second == side, length, 0), group, starts) for side in (False, True)]
    fins_before = [_sum_before((fin & (second == side)).astype(np.int64), group, starts) for side in (False, True)]
    own_end, other_end = np.where(second, before[::-1], before)
    own_fins, other_fins = np.where(second, fins_before[::-1], fins_before)
    late: Marks = (own_fins > 0) & (other_fins > 0)
    usual = (flags & (_SYN | _RST | _ACK) == _ACK) & (own_fins == 0) & (start == own_end)
    usual &= (acknowledged >= 0) & (acknowledged <= other_end + other_fins) & (columns.window[rows] > 0)
    usual |= late & (flags & _SYN == 0) & (length == 0)
    for handshake in (0, 1):
        # Looked at already, but for the window.
        usual[starts + handshake] = columns.window[rows[starts + handshake]] > 0
    fins = np.full((len(starts), 2), -1, np.int64)
    fin_rows = np.flatnonzero(fin & ~late)
    fins[group[fin_rows], own[fin_rows]] = rows[fin_rows]
    good: Marks = (fins[:, 0] >= 0) & (fins[:, 1] >= 0)
    if len(starts):
        good &= np.logical_and.reduceat(usual, starts)
    return good, fins, late


def _lives_of(
    columns: SegmentColumns, batch: PacketBatch, opening: Numbers, fins: Numbers, rows: Numbers, stream: Numbers
) -> Lives:
    """Make lives of the packets that open each, the FINs, and all rows until the end with the stream of each."""
    streams = 2 * len(opening)
    with_data = np.flatnonzero(columns.length[rows] > 0)
    with_data = with_data[np.argsort(stream[with_data], kind="stable")]
    segments, of = rows[with_data], stream[with_data]
    times, ends = np.frombuffer(batch.times, np.int64), columns.key_at + columns.key_length
    syn, syn_ack, ack = opening.T
    places = (place[packets].tolist() for packets in (syn, syn_ack) for place in (columns.key_at, ends))
    data = batch.data
    return Lives(
        batch,
        [(data[at:end], data[other:stop]) for at, end, other, stop in zip(*places, strict=True)],
        syn,
        syn_ack,
        fins,
        times[ack] - times[syn],
        np.bincount(stream, minlength=streams).reshape(-1, 2),
        columns.sequence[opening[:, :2]],
        np.bincount(of, columns.length[segments], streams).astype(np.int64).reshape(-1, 2),
        np.searchsorted(of, np.arange(streams + 1)),
        segments,
        columns.payload[segments],
        columns.length[segments],
        np.zeros(len(opening), np.int64),
    )


def _find_opened(columns: SegmentColumns, data: bytes, rows: Numbers) -> tuple[Numbers, Marks, Numbers]:
    """Sort rows by connection and give those of connections that begin with a handshake, of nothing but plain packets.

    Gives packet index, whether the packet is of direction 1, and where each connection begins.
    """
    source, destination = columns.source[rows], columns.destination[rows]
    connection = source + destination
    connection ^= connection >> np.uint64(30)
    order = np.argsort(connection, kind="stable")
    rows, connection = rows[order], connection[order]
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = connection[1:] != connection[:-1]
    starts = np.flatnonzero(begins)
    sizes = np.diff(np.append(starts, len(rows)))
    short = (sizes >= _SHORTEST) & (sizes <= LONGEST)
    starts, sizes = starts[short], sizes[short]
    flags, sequence, acknowledgement = columns.flags, columns.sequence, columns.acknowledgement
    first, second, third = (rows[starts + each] for each in range(_HANDSHAKE))
    opened = (flags[first] & _FIN_SYN_RST_ACK == _SYN) & (flags[second] & _FIN_SYN_RST_ACK == _SYN | _ACK)
    opened &= (flags[third] & _FIN_SYN_RST_ACK == _ACK) & (columns.length[first] + columns.length[second] == 0)
    opened &= acknowledgement[second] == (sequence[first] + 1) & MASK
    opened &= (columns.source[first] == columns.destination[second]) & (columns.source[third] == columns.source[first])
    starts, sizes = starts[opened], sizes[opened]
    rows = rows[_ranges(starts, sizes)]
    starts = np.cumsum(sizes) - sizes
    source, destination = columns.source[rows], columns.destination[rows]
    # Equal numbers at both ends do not tell the directions apart.
    plain = columns.common[rows] & (source != destination)
    both = source + destination, np.minimum(source, destination)
    differs = differs_from_above(columns, data, rows, source > destination, both)
    differs[starts[1:] - 1] = False
    plain[1:] &= ~differs
    if len(starts):
        good = np.logical_and.reduceat(plain, starts)
        starts, sizes = starts[good], sizes[good]
        kept = _ranges(starts, sizes)
        rows, source, starts = rows[kept], source[kept], np.cumsum(sizes) - sizes
    return rows, source != np.repeat(source[starts], sizes), starts


def _ranges(starts: Numbers, sizes: Numbers) -> Numbers:
    """Give the indexes of stretches of rows, one stretch behind the other."""
    shifts = starts - (np.cumsum(sizes) - sizes)
    indexes: Numbers = np.arange(int(sizes.sum())) + np.repeat(shifts, sizes)
    return indexes


def _sum_before(values: Numbers, group: Numbers, starts: Numbers) -> Numbers:
    """Give for each row the sum of the values above it in its group."""
    sums = np.cumsum(values) - values
    before: Numbers = sums - sums[starts][group]
    return before
