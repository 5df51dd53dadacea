# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What is known of an open connection beside its events."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Connection, StreamEvent
from kafkasniff.tcp.packets.segments import ACK, RST, SYN, Segment
from kafkasniff.tcp.reassembly.flow_keys import FlowKey
from kafkasniff.tcp.reassembly.half_open import HalfOpen
from kafkasniff.tcp.reassembly.memory import Memory
from kafkasniff.tcp.reassembly.streams import Stream

if not cython.compiled:
    from kafkasniff.octets import unsigned32
    from kafkasniff.tcp.reassembly.flow_keys import canonical, reverse
    from kafkasniff.tcp.reassembly.sequence import FARTHEST, MASK, NEVER, distance

_RST, _SYN, _ACK = RST, SYN, ACK
_NEAR_START = 1 << 20
_IPV4_KEY = 12
"""Bytes of the key of two IPv4 addresses."""


class ConnectionState:
    """A connection that is open, with what its events do not need."""

    __slots__ = (
        "_sent_end",
        "_sent_stream",
        "_sent_time",
        "_syn_time",
        "careful",
        "challenge",
        "closing",
        "connection",
        "destination",
        "first",
        "half_open",
        "has_holes",
        "holding",
        "key",
        "name",
        "other",
        "ports",
        "ports_back",
        "reset",
        "second",
        "source",
        "syn_ack_seen",
        "timed",
    )

    def __init__(self, key: FlowKey, connection: Connection, memory: Memory) -> None:
        """Begin a connection whose direction 0 has `key`."""
        self.key = key
        self.name = canonical(key)
        """The key of its 4-tuple."""
        self.other = reverse(key)
        """The key of direction 1."""
        self.source = self.destination = self.ports = self.ports_back = -1
        """Of an IPv4 connection without virtual network: `key` and `other` as numbers."""
        if isinstance(key, bytes) and len(key) == _IPV4_KEY:
            self.source, self.destination, self.ports = unsigned32(key, 0), unsigned32(key, 4), unsigned32(key, 8)
            self.ports_back = (self.ports & 0xFFFF) << 16 | self.ports >> 16
        self.connection = connection
        self.first = Stream(connection, 0, memory)
        """Direction 0."""
        self.second = Stream(connection, 1, memory)
        """Direction 1."""
        self.careful = True
        """Whether segments need more than the check that they come next."""
        self.holding = True
        """Whether data may wait for a decision where their stream begins."""
        self.timed = False
        self.half_open = False
        self.has_holes = False
        """Whether `OpenHoles` has it."""
        self.closing = -1
        """When it was reset, or had both FINs but not all bytes: packets of the connection until then; else -1."""
        self.reset: tuple[Stream, int, Arrival] | None = None
        """The stream that was reset, where, and by which packet."""
        self.challenge: Challenge | None = None
        """A SYN that would begin another connection, until it is answered."""
        self.syn_ack_seen = False
        self._syn_time = -1
        self._sent_stream: Stream | None = None
        """The stream of the first data, until acknowledged; then where they end, and when they came."""
        self._sent_end = self._sent_time = 0

    @property
    def streams(self) -> tuple[Stream, Stream]:
        """Give both directions."""
        return self.first, self.second

    def is_second(self, key: FlowKey) -> bool:
        """Tell whether a key of the connection is that of direction 1."""
        return key is not self.key and key != self.key

    def note_care(self, holes: bool) -> None:
        """Note whether the next segment needs more than the check that it comes next; `holes`: as bytes lack."""
        first, second = self.first, self.second
        odd = first.fin != NEVER or second.fin != NEVER or first.out_of_window or second.out_of_window
        anchored = first.anchored and second.anchored
        waits = self.closing >= 0 or self.challenge is not None
        self.careful = bool(self.holding or holes or odd or not anchored or waits)

    def takes_challenge(self, segment: Segment, arrival: Arrival) -> bool:
        """Wait whether a SYN that would begin another connection is answered; False where this one is ending."""
        if self.half_open or self.closing >= 0 or self.first.fin != NEVER or self.second.fin != NEVER:
            return False
        self.challenge = self.challenge or Challenge(segment, arrival, self.order())
        self.careful = True
        return True

    def outlives_challenge(self, patience: int) -> bool:
        """Tell whether the SYN is given up, as `patience` packets of this connection came without an answer to it."""
        if self.challenge is None or self.order() - self.challenge.order < patience:
            return False
        self.challenge = None
        return True

    def order(self) -> int:
        """Give the packets of the connection so far."""
        return self.first.counters.packets + self.second.counters.packets

    def go_on_from(self, opened: HalfOpen) -> None:
        """Know what was held of the connection while it was half open."""
        self.half_open = True
        self._syn_time = opened.last.time
        self.first.begin((opened.initial + 1) & MASK, True)
        self.first.initial = opened.initial

    def synchronise(self, second: bool, segment: Segment, arrival: Arrival) -> None:
        """Take a SYN or SYN-ACK of a direction that belongs to this connection."""
        stream, peer = (self.second, self.first) if second else (self.first, self.second)
        opens = not segment.flags & _ACK
        if stream.initial < 0:
            if not (stream.anchored and stream.position > stream.origin):
                stream.begin((segment.sequence + 1) & MASK, True)
            stream.initial = segment.sequence
        if self.connection.initiator is None:
            self.connection.initiator = stream.direction if opens else 1 - stream.direction
        if opens and (self._syn_time < 0 or not self.syn_ack_seen):
            self._syn_time = arrival.time
        if not opens:
            self.syn_ack_seen = True
            if not peer.known:
                peer.begin(segment.acknowledgement, False)

    def acknowledge(self, stream: Stream, peer: Stream, segment: Segment, arrival: Arrival) -> None:
        """Take the acknowledgement in a segment of `stream`."""
        if stream.known and abs(distance(segment.sequence, stream.sequence)) > FARTHEST:
            # From a stale connection, or the stream leapt; the data decide that.
            return
        peer.acknowledge(segment.acknowledgement)
        connection = self.connection
        if connection.round_trip_ns is None:
            if self._syn_time >= 0:
                if self.syn_ack_seen and connection.initiator == stream.direction and not segment.flags & _SYN:
                    connection.round_trip_ns = max(arrival.time - self._syn_time, 0)
            elif self._sent_stream is peer and self._sent_end <= peer.acked:
                connection.round_trip_ns = max(arrival.time - self._sent_time, 0)

    def note_sent(self, stream: Stream, segment: Segment, sequence: int, arrival: Arrival) -> None:
        """Note the first data, from `sequence` on: when they are acknowledged tells the round-trip time."""
        if self._sent_stream is None and self.connection.round_trip_ns is None:
            self._sent_stream = stream
            self._sent_end = stream.position + distance((sequence + segment.length) & MASK, stream.sequence)
            self._sent_time = arrival.time

    def release(self, arrival: Arrival, events: list[StreamEvent]) -> None:
        """Decide where the streams begin, and deliver what waited for it in the order it came."""
        self.holding = False
        waiting = []
        for stream in (self.first, self.second):
            if not stream.anchored and stream.known:
                stream.anchor()
                waiting.append(stream)
        while waiting:
            waiting = [stream for stream in waiting if stream.pending]
            for stream in sorted(waiting, key=_first_order):
                if stream.deliver_first(arrival, events):
                    break
            else:
                return

    def take_out_of_window_of(self, earlier: "ConnectionState", events: list[StreamEvent]) -> None:
        """Take the segments that were captured before this connection's SYN, out of the window of the earlier one."""
        for key, before in ((earlier.key, earlier.first), (earlier.other, earlier.second)):
            stream = self.second if self.is_second(key) else self.first
            segments = before.out_of_window or ()
            if not segments or not stream.known or abs(distance(segments[0][0], stream.sequence)) > FARTHEST:
                continue
            before.out_of_window = None
            for sequence, chunk in segments:
                length = chunk.end - chunk.start
                stream.take(sequence, chunk.data, length, chunk.arrival, chunk.fragments, self.order(), events)


class Challenge:
    """A SYN on the 4-tuple of a connection that is open.

    Its receiver drops it (RFC 5961, 4.2), unless it knows the connection no more.
    """

    __slots__ = ("arrival", "order", "segment")

    def __init__(self, segment: Segment, arrival: Arrival, order: int) -> None:
        """Take the SYN."""
        self.segment = segment
        self.arrival = arrival
        self.order = order
        """Packets of the connection until then."""

    def is_accepted(self, state: ConnectionState, segment: Segment) -> bool:
        """Tell whether a segment, which the open connection does not expect, goes on from the SYN."""
        first = (self.segment.sequence + 1) & MASK
        own = segment.key == self.segment.key
        stream = state.second if state.is_second(segment.key) else state.first
        if segment.flags & (_SYN | _RST) == _SYN and not own and segment.flags & _ACK:
            return segment.acknowledgement == first and segment.sequence != stream.initial
        if segment.flags & (_SYN | _RST) or segment.sequence == stream.sequence:
            return False
        if own:
            return segment.sequence == first
        return bool(segment.flags & _ACK) and 0 < distance(segment.acknowledgement, first) <= _NEAR_START


def is_first(stream: Stream, segment: Segment) -> bool:
    """Tell whether a SYN or SYN-ACK may be that of a stream."""
    if stream.initial >= 0:
        return stream.initial == segment.sequence
    return not stream.known or may_begin(stream, (segment.sequence + 1) & MASK)


def may_begin(stream: Stream, sequence: int) -> bool:
    """Tell whether a stream whose SYN was not seen may have begun with `sequence`."""
    offset = distance(sequence, stream.sequence)
    if not stream.anchored or stream.position == stream.origin:
        return -_NEAR_START <= offset <= _NEAR_START
    return -_NEAR_START <= offset + stream.position - stream.origin <= 0


def _first_order(stream: Stream) -> int:
    pending = stream.pending
    return pending[0].order if pending else 0
