"""Connections that ended: what is remembered of them, and which segments still belong to them."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from kafkasniff.tcp.flow_keys import FlowKey, reverse
from kafkasniff.tcp.segments import Segment
from kafkasniff.tcp.sequence import distance
from kafkasniff.tcp.state import ConnectionState
from kafkasniff.tcp.streams import FARTHEST

_SYN, _RST = 2, 4
_ENDED_NS = 60_000_000_000
_SYN_COPY_NS = 100_000_000


class Ended(NamedTuple):
    """What is remembered of an ended connection."""

    epoch: int
    time: int
    key: FlowKey
    sequences: tuple[int | None, int | None]
    initials: tuple[int | None, int | None]

    def has(self, segment: Segment, time: int) -> bool:
        """Tell whether a segment that comes at `time` belongs to it."""
        direction = 0 if segment.key == self.key else 1
        if segment.flags & _SYN:
            return segment.sequence == self.initials[direction] and abs(time - self.time) < _SYN_COPY_NS
        if segment.flags & _RST or not segment.length:
            return True
        known = self.sequences[direction]
        near = known is None or abs(distance(segment.sequence, known)) <= FARTHEST
        return near and time - self.time <= _ENDED_NS


class EndedConnections:
    """The connections that ended last, one for each 4-tuple, by the smaller of its keys."""

    def __init__(self, limit: int) -> None:
        """Remember as many as `limit`."""
        # OrderedDict: of a plain dict, finding the first again and again takes quadratic time.
        self._ended: OrderedDict[FlowKey, Ended] = OrderedDict()
        self._limit = limit

    def __contains__(self, key: FlowKey) -> bool:
        """Tell whether one of a 4-tuple is remembered."""
        return key in self._ended

    def get(self, key: FlowKey) -> Ended | None:
        """Give that of a 4-tuple."""
        return self._ended.get(key)

    def pop(self, key: FlowKey) -> Ended:
        """Give that of a 4-tuple, which is remembered, and forget it."""
        return self._ended.pop(key)

    def add(self, state: ConnectionState) -> None:
        """Remember a connection that ends now."""
        connection, (first, second) = state.connection, state.streams
        sequences = (first.sequence if first.known else None, second.sequence if second.known else None)
        initials = (first.initial, second.initial)
        ended = Ended(connection.epoch, connection.last.time, state.key, sequences, initials)
        self.update([(min(state.key, reverse(state.key)), ended)])

    def update(self, ended: Iterable[tuple[FlowKey, Ended]]) -> None:
        """Remember several."""
        known = self._ended
        known.update(ended)
        while len(known) > self._limit:
            known.popitem(last=False)
