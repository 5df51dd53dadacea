"""The interface between tcp and calls: connections and what their streams bring, in packet order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import sub
from typing import NamedTuple

from kafkasniff.capture.packets import Arrival, PacketBatch


class Endpoint(NamedTuple):
    """One end of a connection."""

    address: str
    """IPv4 or IPv6 address as text (IPv6 compressed as in RFC 5952, without brackets)."""
    port: int

    def __str__(self) -> str:
        """Give `ip:port`, IPv6 in brackets."""
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


@dataclass(slots=True)
class DirectionCounters:
    """What was seen of one direction of a connection."""

    packets: int = 0
    data_bytes: int = 0
    """Payload bytes in the stream, each counted once."""
    retransmissions: int = 0
    """Segments that repeated bytes already seen."""
    late_retransmissions: int = 0
    """Segments that came more than 100 ms after the same bytes, or after bytes behind them (the first was lost)."""
    duplicates: int = 0
    """Segments seen again within 1 ms: the same packet on several interfaces or mirror ports."""
    out_of_order: int = 0
    gaps: int = 0
    gap_bytes: int = 0
    """Bytes in gaps of known length."""
    cut_packets: int = 0
    """Packets captured shorter than they were on the wire."""
    conflicts: int = 0
    """Segments that repeated bytes with other contents (the first seen were kept)."""
    zero_windows: int = 0
    """Segments whose sender could take no more data (window 0; resets not counted)."""


@dataclass(slots=True, eq=False)
class Connection:
    """One TCP lifetime of a 4-tuple. Compared and hashed by identity."""

    endpoints: tuple[Endpoint, Endpoint]
    """Sender of direction 0 and of direction 1; direction 0 is that of the first packet seen."""
    epoch: int
    """How many earlier connections of this capture had the same 4-tuple."""
    first: Arrival
    """The first packet seen."""
    last: Arrival
    """The latest packet seen."""
    initiator: int | None = None
    """Direction whose sender opened the connection (sent SYN, or was sent SYN-ACK); None where no SYN was seen."""
    round_trip_ns: int | None = None
    """Time from SYN to the ACK of the SYN-ACK, or from the first data to its ACK, as far as seen."""
    ended_by: str | None = None
    """`fin`, `rst`, `reuse` (a new SYN on the 4-tuple), `idle`, or `capture-end`; None while open."""
    ended_direction: int | None = None
    """The direction that sent the first FIN, or the RST."""
    first_fin: Arrival | None = None
    """The first FIN of either direction."""
    tunnel: tuple[str, ...] = ()
    """Encapsulations around the innermost IP packet, outermost first, e.g. `("vxlan:42",)`."""
    counters: tuple[DirectionCounters, DirectionCounters] = field(
        default_factory=lambda: (DirectionCounters(), DirectionCounters())
    )
    tls_secrets: bytes = b""
    """The lines of a key log that open it, where they are known and asked for."""


class StreamData(NamedTuple):
    """Bytes that come next in one direction of a connection."""

    connection: Connection
    direction: int
    data: bytes
    arrival: Arrival
    """The packet that carried the bytes (of IP fragments: the one that completed them)."""
    delivered_by: Arrival
    """The packet whose arrival let the bytes be delivered: `arrival` itself when in order, else the hole's filler."""
    fragments: tuple[Arrival, ...] = ()
    """The other packets that carried the bytes, when IP fragments were joined."""
    contradicted: tuple[tuple[int, int], ...] = ()
    """Where in `data`, from and up to, another segment had other bytes before these could be delivered."""


class StreamGap(NamedTuple):
    """Bytes of one direction that the capture lacks; they stand between the data before and the data after."""

    connection: Connection
    direction: int
    length: int | None
    """Bytes; None when not known (a direction whose beginning is not in the capture gives no gap)."""
    arrival: Arrival
    """The packet at which the bytes were found lost."""
    cut: bool
    """True when the packet was there but its bytes were cut by the snap length."""


class StreamConflict(NamedTuple):
    """A segment repeated delivered bytes of a direction with other contents; the first seen stand."""

    connection: Connection
    direction: int
    ranges: tuple[tuple[int, int], ...]
    """Where they differ, from and up to: bytes from the next one to come on, so that all are negative."""
    arrival: Arrival


class StreamFin(NamedTuple):
    """The sender of a direction said that nothing more comes (FIN), and all its bytes were delivered."""

    connection: Connection
    direction: int
    arrival: Arrival


class ConnectionStart(NamedTuple):
    """First packet of a connection."""

    connection: Connection


class ConnectionEnd(NamedTuple):
    """Nothing more comes of this connection; `connection.ended_by` says why."""

    connection: Connection
    arrival: Arrival


class RunSide(NamedTuple):
    """The segments of one direction in a run, in stream order: columns of equal length."""

    packets: Sequence[int]
    """Index of the packet in its batch."""
    ends: Sequence[int]
    """Bytes of this direction from the run's beginning to the payload's end."""
    shifts: Sequence[int]
    """What a byte's position in the batch's buffer is more than its distance from the run's beginning."""
    delivered_by: Sequence[int]
    """Index in the batch of the packet that let the payload be delivered: never less than those before."""
    largest: int
    """Bytes of the largest payload …"""
    as_large: int
    """… and how many have as many."""

    @property
    def size(self) -> int:
        """Give the bytes of all of them."""
        return self.ends[-1] if self.ends else 0

    def sizes(self, first: int, stop: int) -> tuple[int, int, int]:
        """Give the bytes of the last one of some segments and of the largest of them, and how many are as large."""
        ends = self.ends
        if stop - first == len(ends):
            return ends[-1] - (ends[-2] if len(ends) > 1 else 0), self.largest, self.as_large
        lengths = [*map(sub, ends[first:stop], (ends[first - 1] if first else 0, *ends[first : stop - 1]))]
        largest = max(lengths)
        return lengths[-1], largest, lengths.count(largest)


NO_PAYLOADS = RunSide((), (), (), (), 0, 0)
"""Of a direction in which a run has nothing."""


class StreamRun(NamedTuple):
    """What one `StreamData` after the other would tell, of packets of one connection in one batch.

    Nothing else happens on the connection between.
    """

    connection: Connection
    batch: PacketBatch
    sides: tuple[RunSide, RunSide]
    """Direction 0 and direction 1."""
    times_rise: bool
    """Whether no packet has an earlier time than the one before it."""

    @property
    def first(self) -> StreamData:
        """Give the first segment."""
        beginnings = [side.delivered_by[0] if side.packets else len(self.batch) for side in self.sides]
        return self.data(beginnings.index(min(beginnings)), 0)

    @property
    def in_order(self) -> bool:
        """Tell whether each packet's payload was delivered when it arrived."""
        return all(side.packets is side.delivered_by or side.packets == side.delivered_by for side in self.sides)

    def data(self, direction: int, index: int) -> StreamData:
        """Give one segment of a direction by its index in the columns."""
        packets, ends, shifts, delivered_by = self.sides[direction][:4]
        arrival, shift = self.batch.arrival(packets[index]), shifts[index]
        by = arrival if packets[index] == delivered_by[index] else self.batch.arrival(delivered_by[index])
        data = self.batch.data[shift + (ends[index - 1] if index else 0) : shift + ends[index]]
        return StreamData(self.connection, direction, data, arrival, by)


StreamEvent = StreamData | StreamRun | StreamGap | StreamConflict | StreamFin | ConnectionStart | ConnectionEnd
