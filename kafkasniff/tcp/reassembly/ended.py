# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Connections that ended: what is remembered of them, and which segments still belong to them."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.tcp.packets.segments import ACK, RST, SYN, Segment
from kafkasniff.tcp.reassembly.flow_keys import FlowKey
from kafkasniff.tcp.reassembly.state import ConnectionState
from kafkasniff.tcp.reassembly.streams import Stream

if not cython.compiled:
    from kafkasniff.tcp.reassembly.sequence import FARTHEST, NEVER, distance

_SYN, _RST, _ACK = SYN, RST, ACK
_ENDED_NS = 60_000_000_000
_SYN_COPY_NS = 100_000_000


@cython.no_gc
@cython.final
@cython.cclass
class Ended:
    """What is remembered of an ended connection."""

    __slots__ = ("_closed", "_initial_0", "_initial_1", "_sequence_0", "_sequence_1", "epoch", "key", "time")

    def __init__(
        self,
        epoch: int,
        time: int,
        key: FlowKey,
        sequences: tuple[int, int],
        initials: tuple[int, int],
        closed: bool = False,
    ) -> None:
        """Remember a connection that ended at `time`, with the numbers of both directions, -1 where not known.

        `sequences` are of the bytes that would have come next, `initials` of the SYNs. `closed`: both
        sides sent FIN, so that nothing comes behind those.
        """
        self.epoch = epoch
        self.time = time
        self.key = key
        self._sequence_0, self._sequence_1 = sequences
        self._initial_0, self._initial_1 = initials
        self._closed = closed

    def has(self, segment: Segment, time: int) -> bool:
        """Tell whether a segment that comes at `time` belongs to it."""
        second = segment.key != self.key
        if segment.flags & _SYN:
            initial = self._initial_1 if second else self._initial_0
            return segment.sequence == initial and abs(time - self.time) < _SYN_COPY_NS
        if segment.flags & _RST or not segment.length:
            return True
        known = self._sequence_1 if second else self._sequence_0
        ahead = distance(segment.sequence, known)
        near = known < 0 or -FARTHEST <= ahead <= (0 if self._closed else FARTHEST)
        return near and time - self.time <= _ENDED_NS

    def has_rather_than(self, stream: Stream, peer: Stream, segment: Segment, time: int) -> bool:
        """Tell whether a segment belongs to it rather than to the next connection on its 4-tuple, of which these are.

        It belongs where its numbers lie. A sequence number tells, and what it acknowledges where the next connection's
        is not known yet.
        """
        if segment.flags & _SYN or time - self.time > _ENDED_NS:
            return False
        own, other = self._sequence_0, self._sequence_1
        if segment.key != self.key:
            own, other = other, own
        if own >= 0 and abs(distance(segment.sequence, own)) > FARTHEST:
            return False
        if own >= 0 and stream.known:
            return abs(distance(segment.sequence, own)) < abs(distance(segment.sequence, stream.sequence))
        if other < 0 or not peer.known or not segment.flags & _ACK:
            return False
        acknowledged = segment.acknowledgement
        return abs(distance(acknowledged, other)) < abs(distance(acknowledged, peer.sequence))


class EndedConnections:
    """The connections that ended last, one for each 4-tuple, by the smaller of its keys."""

    __slots__ = ("_earlier", "_later", "_most_later")

    def __init__(self, limit: int) -> None:
        """Remember as many as `limit`, or half of them where so many more have ended."""
        self._most_later = limit // 2
        self._later: dict[FlowKey, Ended] = {}
        self._earlier: dict[FlowKey, Ended] = {}
        """Those that ended before `_later`, forgotten together: to find the first one of a dict takes long."""

    def get(self, key: FlowKey) -> Ended | None:
        """Give that of a 4-tuple."""
        found = self._later.get(key)
        return self._earlier.get(key) if found is None else found

    def add(self, key: FlowKey, ended: Ended) -> None:
        """Remember one of the 4-tuple `key`."""
        if len(self._later) >= self._most_later:
            self._earlier, self._later = self._later, {}
        self._later[key] = ended


def remembered(state: ConnectionState) -> Ended:
    """Give what is remembered of a connection that ends now."""
    first, second = state.first, state.second
    ended = Ended.__new__(Ended)
    ended.epoch = state.connection.epoch
    ended.time = state.connection.last.time
    ended.key = state.key
    ended._sequence_0 = first.sequence if first.known else -1
    ended._sequence_1 = second.sequence if second.known else -1
    ended._initial_0 = first.initial
    ended._initial_1 = second.initial
    ended._closed = NEVER not in (first.fin, second.fin)
    return ended
