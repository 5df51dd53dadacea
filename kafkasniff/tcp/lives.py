"""Finds whole connections in the columns of a batch: opened, used and closed by both ends, with nothing odd between.

Of such a life the careful path would tell nothing but its data in packet order, so that it is taken without any state.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import repeat

import numpy as np

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.chunks import MASK
from kafkasniff.tcp.columns import Marks, Numbers, SegmentColumns
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
    return int(np.count_nonzero(columns.flags[rows] & _FIN_SYN_RST_ACK == _SYN))


def find_lives(columns: SegmentColumns, batch: PacketBatch, rows: Numbers) -> tuple[Lives, Numbers, Numbers]:
    """Find the lives among `rows`, packet indexes in ascending order, that are all of their connections in the batch.

    Gives them, the packets that they are made of, and of each of these the life, a row.
    """
    rows, second, starts = _find_opened(columns, batch.data, rows)
    sizes = np.diff(np.append(starts, len(rows)))
    group = np.repeat(np.arange(len(starts)), sizes)
    flags = columns.flags[rows] & _FIN_SYN_RST_ACK
    length = columns.length[rows]
    sequence, acknowledgement = columns.sequence[rows], columns.acknowledgement[rows]
    initials = np.stack((sequence[starts], sequence[starts + 1]), axis=1) if len(starts) else np.zeros((0, 2), np.int64)
    own = second.astype(np.int64)
    start = stream_distance(sequence, initials[group, own] + 1)
    acknowledged = stream_distance(acknowledgement, initials[group, 1 - own] + 1)
    fin = flags & _FIN != 0
    before = [(_sum_before(np.where(second == side, length, 0), group, starts)) for side in (False, True)]
    fins_before = [_sum_before((fin & (second == side)).astype(np.int64), group, starts) for side in (False, True)]
    own_end, other_end = np.where(second, before[::-1], before)
    own_fins, other_fins = np.where(second, fins_before[::-1], fins_before)
    ended = (own_fins > 0) & (other_fins > 0)
    usual = (flags & (_SYN | _RST | _ACK) == _ACK) & (own_fins == 0) & (start == own_end)
    usual &= (acknowledged >= 0) & (acknowledged <= other_end + other_fins) & (columns.window[rows] > 0)
    usual |= ended & (flags & _SYN == 0) & (length == 0)
    for handshake in (0, 1):
        # Looked at already, but for the window.
        usual[starts + handshake] = columns.window[rows[starts + handshake]] > 0
    good = np.zeros(0, np.bool_)
    if len(starts):
        good = np.logical_and.reduceat(usual, starts)
        for side in (False, True):
            good &= np.logical_or.reduceat(fin & (second == side), starts)
    chosen = np.flatnonzero(good)
    fin_rows = np.flatnonzero(fin & ~ended & good[group])
    fins = np.zeros((len(starts), 2), np.int64)
    fins[group[fin_rows], own[fin_rows]] = rows[fin_rows]
    chosen = chosen[np.argsort(fins[chosen].max(axis=1), kind="stable")]
    life = np.full(len(starts), -1, np.int64)
    life[chosen] = np.arange(len(chosen))
    of = life[group]
    stream = 2 * of + own
    streams = 2 * len(chosen)
    alive = (of >= 0) & ~ended
    with_data = np.flatnonzero(alive & (length > 0))
    with_data = with_data[np.argsort(stream[with_data], kind="stable")]
    times = np.frombuffer(batch.times, np.int64)
    opening = starts[chosen]
    syn, opened = rows[opening], rows[opening + _HANDSHAKE - 1]
    lives = Lives(
        batch,
        [],
        syn,
        rows[opening + 1],
        fins[chosen],
        times[opened] - times[syn],
        np.bincount(stream[alive], minlength=streams).reshape(-1, 2),
        initials[chosen],
        np.bincount(stream[with_data], length[with_data], minlength=streams).astype(np.int64).reshape(-1, 2),
        np.searchsorted(stream[with_data], np.arange(streams + 1)),
        rows[with_data],
        columns.payload[rows[with_data]],
        length[with_data],
        np.bincount(of[(of >= 0) & ended], minlength=len(chosen)),
    )
    data, length = batch.data, columns.key_length[syn]
    ats = (columns.key_at[packets] for packets in (syn, lives.syn_ack))
    places = (place for at in ats for place in (at.tolist(), (at + length).tolist()))
    lives.keys = [(data[at:end], data[other:stop]) for at, end, other, stop in zip(*places, strict=True)]
    members = np.flatnonzero(of >= 0)
    return lives, rows[members], of[members]


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
    differs = differs_from_above(columns, data, rows, source, destination)
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
