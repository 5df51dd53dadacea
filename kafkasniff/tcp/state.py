"""What is known of a connection beside its events, while it is open and once it ended."""

from typing import NamedTuple

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.chunks import distance
from kafkasniff.tcp.events import Connection
from kafkasniff.tcp.segments import FlowKey
from kafkasniff.tcp.streams import Memory, Stream

_NEAR_START = 1 << 20


class ConnectionState:
    """A connection that is open, with what its events do not need."""

    __slots__ = (
        "careful",
        "closing",
        "connection",
        "half_open",
        "holding",
        "key",
        "reset",
        "sent",
        "streams",
        "syn_ack_seen",
        "syn_time",
        "timed",
    )

    def __init__(self, key: FlowKey, connection: Connection, memory: Memory) -> None:
        """Begin a connection whose direction 0 has `key`."""
        self.key = key
        self.connection = connection
        self.streams = (Stream(connection, 0, memory), Stream(connection, 1, memory))
        self.careful = True
        """Whether segments need more than the check that they come next."""
        self.holding = True
        """Whether data may wait for a decision where their stream begins."""
        self.timed = False
        self.half_open = False
        self.closing: int | None = None
        """When it was reset, or had both FINs but not all bytes: packets of the connection until then."""
        self.reset: tuple[Stream, int, Arrival] | None = None
        """The stream that was reset, where, and by which packet."""
        self.syn_time: int | None = None
        self.syn_ack_seen = False
        self.sent: tuple[Stream, int, int] | None = None
        """Stream, position of the end, and time of the first data, until acknowledged."""

    @property
    def order(self) -> int:
        """Packets of the connection so far."""
        return self.streams[0].counters.packets + self.streams[1].counters.packets


class Ended(NamedTuple):
    """What is remembered of an ended connection."""

    epoch: int
    time: int
    key: FlowKey
    sequences: tuple[int | None, int | None]
    initials: tuple[int | None, int | None]


def may_begin(stream: Stream, sequence: int) -> bool:
    """Tell whether a stream whose SYN was not seen may have begun with `sequence`."""
    offset = distance(sequence, stream.sequence)
    if not stream.anchored or stream.position == stream.origin:
        return -_NEAR_START <= offset <= _NEAR_START
    return -_NEAR_START <= offset + stream.position - stream.origin <= 0
