# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What is known of an open connection beside its events."""

from typing import NamedTuple

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Connection, StreamEvent
from kafkasniff.tcp.flow_keys import FlowKey
from kafkasniff.tcp.half_open import HalfOpen
from kafkasniff.tcp.memory import Memory
from kafkasniff.tcp.segments import Segment
from kafkasniff.tcp.sequence import MASK, distance
from kafkasniff.tcp.streams import FARTHEST, Stream

_RST, _SYN, _ACK = 4, 2, 16
_NEAR_START = 1 << 20


class ConnectionState:
    """A connection that is open, with what its events do not need."""

    __slots__ = (
        "careful",
        "challenge",
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
        self.challenge: Challenge | None = None
        """A SYN that would begin another connection, until it is answered."""
        self.syn_time: int | None = None
        self.syn_ack_seen = False
        self.sent: tuple[Stream, int, int] | None = None
        """Stream, position of the end, and time of the first data, until acknowledged."""

    def note_care(self, holes: bool) -> None:
        """Note whether the next segment needs more than the check that it comes next; `holes`: as bytes lack."""
        first, second = self.streams
        odd = first.fin is not None or second.fin is not None or first.strays or second.strays
        anchored = first.anchored and second.anchored
        waits = self.closing is not None or self.challenge is not None
        self.careful = bool(self.holding or holes or odd or not anchored or waits)

    def takes_challenge(self, segment: Segment, arrival: Arrival) -> bool:
        """Wait whether a SYN that would begin another connection is answered; False where this one is ending."""
        if self.half_open or self.closing is not None or any(stream.fin is not None for stream in self.streams):
            return False
        self.challenge = self.challenge or Challenge(segment, arrival, self.order)
        self.careful = True
        return True

    def outlives_challenge(self, patience: int) -> bool:
        """Tell whether the SYN is given up, as `patience` packets of this connection came without an answer to it."""
        if self.challenge is None or self.order - self.challenge.order < patience:
            return False
        self.challenge = None
        return True

    @property
    def order(self) -> int:
        """Packets of the connection so far."""
        return self.streams[0].counters.packets + self.streams[1].counters.packets

    def go_on_from(self, opened: HalfOpen) -> None:
        """Know what was held of the connection while it was half open."""
        self.half_open = True
        self.syn_time = opened.last.time
        stream = self.streams[0]
        stream.begin((opened.initial + 1) & MASK, certain=True)
        stream.initial = opened.initial

    def synchronise(self, direction: int, segment: Segment, arrival: Arrival) -> None:
        """Take a SYN or SYN-ACK that belongs to this connection."""
        stream, peer = self.streams[direction], self.streams[1 - direction]
        opens = not segment.flags & _ACK
        if stream.initial is None:
            if not (stream.anchored and stream.position > stream.origin):
                stream.begin((segment.sequence + 1) & MASK, certain=True)
            stream.initial = segment.sequence
        if self.connection.initiator is None:
            self.connection.initiator = direction if opens else 1 - direction
        if opens and (self.syn_time is None or not self.syn_ack_seen):
            self.syn_time = arrival.time
        if not opens:
            self.syn_ack_seen = True
            if not peer.known:
                peer.begin(segment.acknowledgement, certain=False)

    def acknowledge(self, stream: Stream, peer: Stream, segment: Segment, arrival: Arrival) -> None:
        """Take the acknowledgement in a segment of `stream`."""
        if stream.known and abs(distance(segment.sequence, stream.sequence)) > FARTHEST:
            # From a stale connection, or the stream leapt; the data decide that.
            return
        peer.acknowledge(segment.acknowledgement)
        connection = self.connection
        if connection.round_trip_ns is None:
            if self.syn_time is not None:
                if self.syn_ack_seen and connection.initiator == stream.direction and not segment.flags & _SYN:
                    connection.round_trip_ns = max(arrival.time - self.syn_time, 0)
            elif self.sent and self.sent[0] is peer and self.sent[1] <= peer.acked:
                connection.round_trip_ns = max(arrival.time - self.sent[2], 0)

    def release(self, arrival: Arrival, events: list[StreamEvent]) -> None:
        """Decide where the streams begin, and deliver what waited for it in the order it came."""
        self.holding = False
        waiting = [stream for stream in self.streams if not stream.anchored and stream.known]
        for stream in waiting:
            stream.anchor()
        while waiting:
            waiting = [stream for stream in waiting if stream.pending]
            ready = sorted(waiting, key=lambda stream: stream.pending[0].order if stream.pending else 0)
            if not any(stream.deliver_first(arrival, events) for stream in ready):
                break


class Challenge(NamedTuple):
    """A SYN on the 4-tuple of a connection that is open.

    Its receiver drops it (RFC 5961, 4.2), unless it knows the connection no more.
    """

    segment: Segment
    arrival: Arrival
    order: int
    """Packets of the connection until then."""

    def is_accepted(self, state: ConnectionState, segment: Segment) -> bool:
        """Tell whether a segment, which the open connection does not expect, goes on from the SYN."""
        first = (self.segment.sequence + 1) & MASK
        own = segment.key == self.segment.key
        stream = state.streams[segment.key != state.key]
        if segment.flags & (_SYN | _RST) == _SYN and not own and segment.flags & _ACK:
            return segment.acknowledgement == first and segment.sequence != stream.initial
        if segment.flags & (_SYN | _RST) or segment.sequence == stream.sequence:
            return False
        if own:
            return segment.sequence == first
        return bool(segment.flags & _ACK) and 0 < distance(segment.acknowledgement, first) <= _NEAR_START


def is_first(stream: Stream, segment: Segment) -> bool:
    """Tell whether a SYN or SYN-ACK may be that of a stream."""
    if stream.initial is not None:
        return stream.initial == segment.sequence
    return not stream.known or may_begin(stream, (segment.sequence + 1) & MASK)


def may_begin(stream: Stream, sequence: int) -> bool:
    """Tell whether a stream whose SYN was not seen may have begun with `sequence`."""
    offset = distance(sequence, stream.sequence)
    if not stream.anchored or stream.position == stream.origin:
        return -_NEAR_START <= offset <= _NEAR_START
    return -_NEAR_START <= offset + stream.position - stream.origin <= 0
