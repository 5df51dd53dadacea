# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Holes in streams: since when they stand, when their bytes are proven lost, and what is left of them at the end."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from heapq import merge

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import StreamEvent
from kafkasniff.tcp.reassembly.hole import Hole
from kafkasniff.tcp.reassembly.memory import Memory
from kafkasniff.tcp.reassembly.state import ConnectionState
from kafkasniff.tcp.reassembly.streams import Stream

if not cython.compiled:
    from kafkasniff.tcp.reassembly.sequence import NEVER


class OpenHoles:
    """The connections with holes, in the order in which these opened."""

    __slots__ = ("_memory", "_states")

    def __init__(self, memory: Memory) -> None:
        """Start with none."""
        # OrderedDict: of a plain dict, finding the first again and again takes quadratic time.
        self._states: OrderedDict[ConnectionState, None] = OrderedDict()
        self._memory = memory

    def add(self, state: ConnectionState) -> None:
        """Note that a connection has a hole."""
        if not state.has_holes:
            state.has_holes = True
            self._states[state] = None

    def discard(self, state: ConnectionState) -> None:
        """Note that a connection has none."""
        if state.has_holes:
            state.has_holes = False
            del self._states[state]

    def close_old(self, now: int, events: list[StreamEvent]) -> Iterator[tuple[ConnectionState, Arrival]]:
        """Close holes that stood for as long as no packet comes late; give the connections, each when it was done."""
        for state in list(self._states):
            by = state.connection.last.at(max(now, state.connection.last.time))
            for stream, peer in zip(state.streams, reversed(state.streams), strict=True):
                if stream.hole is not None and now - stream.hole.time >= self._memory.limits.hole_ns:
                    close_proven(stream, state.order(), by, peer.counters.packets, events, in_order=True)
                    yield state, by

    def relieve(self, by: Arrival, events: list[StreamEvent]) -> None:
        """Close the holes that opened first until three quarters of the limit of all connections are kept."""
        memory = self._memory
        memory.counters.reach("hole closed: too many bytes of all connections waited behind holes")
        while self._states and memory.buffered > memory.limits.buffered_in_all * 3 // 4:
            state, _ = self._states.popitem(last=False)
            state.has_holes = False
            for stream in state.streams:
                while stream.anchored and stream.pending:
                    relieve(stream, by, events)


def look_at(stream: Stream, peer: Stream, order: int, by: Arrival, events: list[StreamEvent]) -> None:
    """Look at a stream's hole and at its end, as a packet of its connection came."""
    if stream.at_rest():
        return
    heard = peer.counters.packets
    look_for_hole(stream, order, by.time, heard)
    if stream.hole is not None:
        close_proven(stream, order, by, heard, events)
    stream.check_end()


def look_for_hole(stream: Stream, order: int, time: int, heard: int) -> None:
    """Note since when the bytes at its position are known to lack, if they do."""
    if not stream.anchored:
        return
    end = max(stream.acked, stream.fin if stream.fin != NEVER else 0)
    if stream.pending:
        chunk = stream.pending[0]
        order, time = chunk.order, chunk.arrival.time
    elif end <= stream.position:
        stream.hole = None
        return
    if stream.hole is None or stream.hole.at != stream.position:
        hole = Hole.__new__(Hole)
        hole.order = order
        hole.at = stream.position
        hole.end = end
        hole.time = time
        hole.packets = stream.counters.packets
        hole.heard = heard
        stream.hole = hole


def close_proven(
    stream: Stream, order: int, by: Arrival, heard: int, events: list[StreamEvent], in_order: bool = False
) -> None:
    """Turn into gaps the holes whose bytes are proven lost; `in_order`: no packet can come late."""
    reordering = 0 if in_order else stream.memory.reordering_packets
    hole = stream.hole
    if hole is None or order - hole.order < reordering:
        return
    silence = hole.silence(order, by.time, stream.counters.packets, heard, stream.memory.limits, reordering)
    if silence is None:
        return
    silent = silence
    if not stream.pending:
        # One byte alone that the peer acknowledged is rather a FIN that the capture lacks.
        proven = stream.acked >= hole.end and (stream.fin != NEVER or hole.end - stream.position > 1)
        if proven or silent:
            stream.give_up(hole.end, by, events)
    else:
        any_through, through, seen = False, 0, hole.order
        for chunk in stream.pending:
            seen = chunk.order if any_through else min(seen, chunk.order)
            if order - seen < reordering or (chunk.start > stream.acked and not silent):
                break
            any_through, through, silent = True, chunk.start, False
        if any_through:
            stream.deliver_pending(through, by, events)
    look_for_hole(stream, order, by.time, heard)


def relieve(stream: Stream, by: Arrival, events: list[StreamEvent]) -> None:
    """Give up the first holes until a quarter of what is buffered is delivered."""
    target, through = stream.buffered * 3 // 4, stream.position
    left = stream.buffered
    for chunk in stream.pending or ():
        if left <= target:
            break
        left -= chunk.held()
        through = chunk.start
    stream.deliver_pending(through, by, events)


def drain(streams: Iterable[Stream], by: Arrival, events: list[StreamEvent]) -> None:
    """Deliver what is buffered in the order it came, holes as gaps: nothing more comes of these streams."""
    streams = [stream for stream in streams if stream.known]
    for stream in streams:
        if not stream.anchored:
            stream.anchor()
    waiting = [[(stream, chunk) for chunk in stream.pending or ()] for stream in streams]
    for stream, chunk in merge(*waiting, key=lambda pair: pair[1].order):
        if chunk.start > stream.position:
            stream.give_up(chunk.start, by, events)
        stream.deliver(chunk, by, events)
    # Who stands one byte behind all data sent a FIN that the capture lacks.
    closed = {
        each.direction for each in streams if each.fin != NEVER or each.stood == max(each.position, each.acked) + 1
    }
    for stream in streams:
        end = max(stream.acked, stream.fin if stream.fin != NEVER else 0)
        # Of what the peer acknowledged, one byte alone is rather a FIN that the capture lacks; so is the last one
        # where the peer closed its side, which is when the other side closes too.
        lost_fin = stream.fin == NEVER
        if end - stream.position > lost_fin:
            stream.give_up(end - (lost_fin and 1 - stream.direction in closed), by, events)
        stream.check_end()
