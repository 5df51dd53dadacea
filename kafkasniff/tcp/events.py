# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""The interface between tcp and calls: connections and what their streams bring, in packet order."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival

COUNTERS = (
    "packets",
    "data_bytes",
    "retransmissions",
    "late_retransmissions",
    "duplicates",
    "out_of_order",
    "gaps",
    "gap_bytes",
    "cut_packets",
    "conflicts",
    "zero_windows",
    "mss",
)
"""What `DirectionCounters` counts."""


class Endpoint(NamedTuple):
    """One end of a connection."""

    address: str
    """IPv4 or IPv6 address as text (IPv6 compressed as in RFC 5952, without brackets)."""
    port: int

    def __str__(self) -> str:
        """Give `ip:port`, IPv6 in brackets."""
        return endpoint_text(self)


def endpoint_text(endpoint: Endpoint) -> str:
    """Give `ip:port`, IPv6 in brackets; sooner than `str` does."""
    if not isinstance(endpoint, tuple):
        raise TypeError("expected an endpoint")
    # Compiled, a tuple is unpacked sooner than a named one.
    ends: tuple[str, int] = cython.cast(tuple, endpoint)
    address, port = ends
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


class DirectionCounters:
    """What was seen of one direction of a connection.

    `packets`; `data_bytes`: payload bytes in the stream, each counted once; `retransmissions`: segments that repeated
    bytes already seen; `late_retransmissions`: segments that came more than 100 ms after the same bytes, or after bytes
    behind them (the first was lost); `duplicates`: segments seen again within 1 ms (the same packet on several
    interfaces or mirror ports); `out_of_order`; `gaps`; `gap_bytes`: bytes in gaps of known length; `cut_packets`:
    packets captured shorter than they were on the wire; `conflicts`: segments that repeated bytes with other contents
    (the first seen were kept); `zero_windows`: segments whose sender could take no more data (window 0; FIN and RST not
    counted); `mss`: the maximum segment size in bytes that its SYN named, 0 for none.
    """

    __slots__ = COUNTERS

    def __init__(self, **counted: int) -> None:
        """Begin with what was counted, else with nothing."""
        self.packets = 0
        self.data_bytes = 0
        self.retransmissions = 0
        self.late_retransmissions = 0
        self.duplicates = 0
        self.out_of_order = 0
        self.gaps = 0
        self.gap_bytes = 0
        self.cut_packets = 0
        self.conflicts = 0
        self.zero_windows = 0
        self.mss = 0
        for name, count in counted.items():
            setattr(self, name, count)

    def __eq__(self, other: object) -> bool:
        """Tell whether as much was seen."""
        return isinstance(other, DirectionCounters) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Name what is not zero."""
        return f"DirectionCounters({', '.join(f'{name}={count}' for name, count in self.as_dict().items() if count)})"

    def as_dict(self) -> dict[str, int]:
        """Give all by name."""
        return {name: getattr(self, name) for name in COUNTERS}


class Connection:
    """One TCP lifetime of a 4-tuple. Compared and hashed by identity."""

    __slots__ = (
        "conversation",
        "counters",
        "ended_by",
        "ended_direction",
        "endpoints",
        "epoch",
        "first",
        "first_fin",
        "initiator",
        "last",
        "round_trip_ns",
        "tls_secrets",
        "tunnel",
    )

    def __init__(
        self,
        endpoints: tuple[Endpoint, Endpoint],
        epoch: int,
        first: Arrival,
        last: Arrival,
        initiator: int | None = None,
        ended_by: str | None = None,
    ) -> None:
        """Begin a connection with its first packet."""
        self.endpoints = endpoints
        """Sender of direction 0 and of direction 1; direction 0 is that of the first packet seen."""
        self.epoch = epoch
        """How many earlier connections of this capture had the same 4-tuple."""
        self.first = first
        """The first packet seen."""
        self.last = last
        """The latest packet seen."""
        self.initiator = initiator
        """Direction whose sender opened the connection (sent SYN, or was sent SYN-ACK); None: no SYN was seen."""
        self.round_trip_ns: int | None = None
        """Time from SYN to the ACK of the SYN-ACK, or from the first data to its ACK, as far as seen."""
        self.ended_by = ended_by
        """`fin`, `rst`, `reuse` (a new SYN on the 4-tuple), `idle`, or `capture-end`; None while open."""
        self.ended_direction: int | None = None
        """The direction that sent the first FIN, or the RST."""
        self.first_fin: Arrival | None = None
        """The first FIN of either direction."""
        self.tunnel: tuple[str, ...] = ()
        """Encapsulations around the innermost IP packet, outermost first, e.g. `("vxlan:42",)`."""
        self.counters = (DirectionCounters(), DirectionCounters())
        """What was seen of direction 0 and of direction 1."""
        self.tls_secrets = b""
        """The lines of a key log that open it, where they are known and asked for."""
        self.conversation: object = None
        """What the receiver keeps of it while it is open."""


@cython.final
@cython.no_gc
@cython.freelist(4096)
@cython.cclass
class StreamData:
    """Bytes that come next in one direction of a connection."""

    __slots__ = ("arrival", "connection", "contradicted", "data", "delivered_by", "direction", "fragments")

    def __init__(
        self,
        connection: Connection,
        direction: int,
        data: bytes,
        arrival: Arrival,
        delivered_by: Arrival,
        fragments: tuple[Arrival, ...] = (),
        contradicted: tuple[tuple[int, int], ...] = (),
    ) -> None:
        """Take `data` that a packet carried."""
        self.connection = connection
        self.direction = direction
        self.data = data
        self.arrival = arrival
        """The packet that carried the bytes (of IP fragments: the one that completed them)."""
        self.delivered_by = delivered_by
        """The packet whose arrival let the bytes be delivered: `arrival` itself when in order, else the hole's filler.
        """
        self.fragments = fragments
        """The other packets that carried the bytes, when IP fragments were joined."""
        self.contradicted = contradicted
        """Where in `data`, from and up to, another segment had other bytes before these could be delivered."""

    def with_data(self, data: bytes) -> "StreamData":
        """Give the same with other bytes."""
        return StreamData(
            self.connection, self.direction, data, self.arrival, self.delivered_by, self.fragments, self.contradicted
        )

    def __eq__(self, other: object) -> bool:
        """Tell whether all is the same."""
        return isinstance(other, StreamData) and self.parts() == other.parts()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show what there is."""
        return f"StreamData{self.parts()!r}"

    def parts(self) -> tuple[object, ...]:
        """Give all that is known."""
        return (
            self.connection,
            self.direction,
            self.data,
            self.arrival,
            self.delivered_by,
            self.fragments,
            self.contradicted,
        )


def new_stream_data(
    connection: Connection,
    direction: int,
    data: bytes,
    arrival: Arrival,
    delivered_by: Arrival,
    fragments: tuple[Arrival, ...],
) -> StreamData:
    """Make such an event, sooner than by calling the class."""
    event = StreamData.__new__(StreamData)
    event.connection = connection
    event.direction = direction
    event.data = data
    event.arrival = arrival
    event.delivered_by = delivered_by
    event.fragments = fragments
    event.contradicted = ()
    return event


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
    acknowledged: bool = True
    """Whether the receiver has them; False where it never said so: they were lost on the way, not by the capture."""


class StreamConflict(NamedTuple):
    """A segment repeated delivered bytes of a direction with other contents; the first seen stand."""

    connection: Connection
    direction: int
    ranges: tuple[tuple[int, int], ...]
    """Where they differ, from and up to: bytes from the next one to come on, so that all are negative."""
    arrival: Arrival


@cython.final
@cython.no_gc
@cython.freelist(64)
@cython.cclass
class ConnectionEnd:
    """Nothing more comes of this connection; `connection.ended_by` says why."""

    __slots__ = ("arrival", "connection")

    def __init__(self, connection: Connection, arrival: Arrival) -> None:
        """Take the packet that ended it."""
        self.connection = connection
        self.arrival = arrival


StreamEvent = StreamData | StreamGap | StreamConflict | ConnectionEnd


@cython.cclass
class Receiver:
    """Takes what packets bring, in their order; by itself it keeps all of it as events."""

    __slots__ = ("events",)

    def __init__(self) -> None:
        """Begin with no event."""
        self.events: list[StreamEvent] = []
        """What came and was not taken yet, in order."""

    def take_segment(self, connection: Connection, direction: int, data: bytes, missing: int, arrival: Arrival) -> None:
        """Take the payload of a segment that comes next in its direction; it lacks its last `missing` bytes."""
        self.events.append(new_stream_data(connection, direction, data, arrival, arrival, ()))
        if missing:
            self.events.append(StreamGap(connection, direction, missing, arrival, cut=True, acknowledged=True))
