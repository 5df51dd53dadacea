# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Connections: where they begin and end, and which segment belongs to which."""

from collections import OrderedDict
from heapq import nsmallest

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Connection, ConnectionEnd, StreamEvent
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.segments import ACK, SYN, Segment
from kafkasniff.tcp.reassembly.ended import EndedConnections
from kafkasniff.tcp.reassembly.flow_keys import FlowKey
from kafkasniff.tcp.reassembly.half_open import HalfOpen
from kafkasniff.tcp.reassembly.holes import OpenHoles, drain
from kafkasniff.tcp.reassembly.memory import Memory
from kafkasniff.tcp.reassembly.state import ConnectionState
from kafkasniff.tcp.reassembly.timers import Timers

if not cython.compiled:
    from kafkasniff.tcp.reassembly.ended import remembered
    from kafkasniff.tcp.reassembly.flow_keys import canonical, endpoints
    from kafkasniff.tcp.reassembly.sequence import NEVER

_SYN, _ACK = SYN, ACK
_EVICTED_SHARE = 16
_SLOTS, _MOST_SLOTS = 1 << 10, 1 << 18
_GOLDEN_RATIO = 0x9E3779B1
"""Of 2**32: multiplied by it, numbers near each other come to lie far apart."""


class ConnectionTable:
    """All connections; their ends are appended to `events`."""

    __slots__ = (
        "_counters",
        "_half_open",
        "_limits",
        "ended",
        "events",
        "holes",
        "memory",
        "open_count",
        "recent",
        "replaced",
        "states",
        "timers",
    )

    def __init__(self, limits: TcpLimits, counters: TcpCounters) -> None:
        """Start with none."""
        self.events: list[StreamEvent] = []
        self._limits = limits
        self._counters = counters
        self.memory = Memory(limits, counters)
        self.timers = Timers()
        self.states: dict[FlowKey, ConnectionState | HalfOpen] = {}
        """By the smaller key of the 4-tuple."""
        self.replaced: dict[FlowKey, tuple[ConnectionState, Arrival]] = {}
        """Connections that another took over, with its SYN's packet: segments of theirs may come late."""
        self.recent: list[ConnectionState | None] = [None] * _SLOTS
        """The IPv4 connections seen last, each at its `slot`: to look there makes no key."""
        self.open_count = 0
        """Connections of which more than a SYN is held."""
        # OrderedDict: of a plain dict, finding the first again and again takes quadratic time.
        self._half_open: OrderedDict[FlowKey, None] = OrderedDict()
        self.ended = EndedConnections(limits.ended)
        self.holes = OpenHoles(self.memory)

    # Which connection a segment is of

    def find(self, key: FlowKey) -> ConnectionState | HalfOpen | None:
        """Give the connection that a key is of, if it is known."""
        return self.states.get(canonical(key))

    def slot(self, source: int, destination: int, ports: int) -> int:
        """Give where in `_recent` a connection of such ends stands, if it does; the same for both directions."""
        mixed = (source ^ destination ^ (ports >> 16) ^ (ports & 0xFFFF)) * _GOLDEN_RATIO
        return (mixed >> 16) & (len(self.recent) - 1)

    # Beginnings

    def take_syn(
        self,
        found: ConnectionState | HalfOpen | None,
        key: FlowKey,
        sequence: int,
        arrival: Arrival,
        tunnel: tuple[str, ...],
    ) -> bool:
        """Take a SYN that opens a new connection, or a copy of it; False where it is neither for certain."""
        if found is None:
            name = canonical(key)
            if self.ended.get(name) is not None:
                return False
            self.states[name] = HalfOpen(key, tunnel, sequence, arrival)
            self._counters.connections += 1
            self._add_half_open(name)
            return True
        if not isinstance(found, HalfOpen):
            return False
        opened = found
        if opened.initial != sequence or opened.key != key:
            return False
        opened.add(arrival)
        return True

    def _add_half_open(self, key: FlowKey) -> None:
        self._half_open[key] = None
        if len(self._half_open) > self._limits.half_open:
            self._counters.reach("half-open connection ended: too many of them")
            self._end_quietly(self.states[next(iter(self._half_open))], "idle")

    def find_or_start(self, opened: HalfOpen | None, segment: Segment, arrival: Arrival) -> ConnectionState | None:
        """Give the connection that was half open, or start one; None for late segments of an ended one."""
        if opened is not None:
            return self._hold_fully(opened)
        name = canonical(segment.key)
        ended = self.ended.get(name)
        if ended is None:
            return self._start(segment, 0, arrival)
        if ended.has(segment, arrival.time):
            self._counters.after_end += 1
            return None
        return self._start(segment, ended.epoch + 1, arrival)

    def _hold_fully(self, opened: HalfOpen) -> ConnectionState:
        """Hold of a half-open connection what segments beside its SYN need."""
        state = self._hold(opened.key, opened.connection())
        state.go_on_from(opened)
        return state

    def _start(self, segment: Segment, epoch: int, arrival: Arrival) -> ConnectionState:
        connection = Connection(endpoints(segment.key), epoch, arrival, arrival)
        connection.tunnel = segment.tunnel
        state = self._hold(segment.key, connection)
        self._counters.connections += 1
        if segment.flags & (_SYN | _ACK) == _SYN:
            state.half_open = True
            self._add_half_open(state.name)
        return state

    def _hold(self, key: FlowKey, connection: Connection) -> ConnectionState:
        if self.open_count >= self._limits.connections:
            self._evict_idle()
        self.open_count += 1
        if self.open_count > len(self.recent) < _MOST_SLOTS:
            self.recent = [None] * (4 * len(self.recent))
        state = ConnectionState(key, connection, self.memory)
        self.states[state.name] = state
        return state

    def complete(self, state: ConnectionState) -> None:
        """Take a connection that was half open for one that more than SYNs were seen of."""
        state.half_open = False
        self._half_open.pop(state.name, None)

    def replace(self, state: ConnectionState, segment: Segment, arrival: Arrival) -> ConnectionState:
        """End a connection as a segment begins another one on its 4-tuple, and start that."""
        name = state.name
        if name in self.replaced:
            self.end_replaced(name)
        if state.half_open:
            self.end(state, "reuse", arrival)
        else:
            self._forget(state)
            self.replaced[name] = state, arrival
            self.close_later(state, state.order(), arrival)
        return self._start(segment, state.connection.epoch + 1, arrival)

    def end_replaced(self, name: FlowKey) -> None:
        """End a connection whose 4-tuple another one took over."""
        state, arrival = self.replaced.pop(name)
        self.end(state, "reuse", arrival)

    def _forget(self, state: ConnectionState) -> None:
        """Find a connection by its 4-tuple no more."""
        if self.states.get(state.name) is state:
            del self.states[state.name]
        slot = self.slot(state.source, state.destination, state.ports)
        if self.recent[slot] is state:
            self.recent[slot] = None

    # Ends

    def close_later(self, state: ConnectionState, order: int, arrival: Arrival) -> None:
        """End a connection when nothing of it is late any more; `order` is how many packets it had."""
        state.closing = order
        self.timers.set(arrival.time + self._limits.closing_ns, state, self.open_count)

    def end(self, state: ConnectionState, reason: str, arrival: Arrival) -> None:
        """End a connection: deliver what waits, say why it ended, and remember it for its late segments."""
        connection, first, second = state.connection, state.first, state.second
        if connection.ended_by is not None:
            return
        replaced = self.replaced.get(state.name)
        if replaced is not None:
            self.replaced.pop(state.name)
            if replaced[0] is not state:
                self.end(replaced[0], "reuse", replaced[1])
        if not (first.finished and second.finished) and (not state.half_open or first.pending):
            drain(state.streams, arrival, self.events)
        if state.reset:
            reason, connection.ended_direction = "rst", state.reset[0].direction
            arrival = state.reset[2]
        elif NEVER not in (first.fin, second.fin):
            reason = "fin"
        connection.ended_by = reason
        self.events.append(ConnectionEnd(connection, arrival))
        first.discard()
        second.discard()
        self._forget(state)
        if state.half_open:
            self._half_open.pop(state.name, None)
        if state.has_holes:
            self.holes.discard(state)
        self.open_count -= 1
        if state.half_open and connection.epoch == 0 and reason == "idle":
            return
        self.ended.add(state.name, remembered(state))

    def _end_quietly(self, found: ConnectionState | HalfOpen, reason: str) -> None:
        """End a connection for a reason that is none of its packets."""
        if isinstance(found, ConnectionState):
            self.end(found, reason, found.connection.last)
            return
        opened = found
        connection: Connection = opened.connection()
        connection.ended_by = reason
        self.events.append(ConnectionEnd(connection, opened.last))
        name = canonical(opened.key)
        del self.states[name]
        del self._half_open[name]

    def _evict_idle(self) -> None:
        count = max(self._limits.connections // _EVICTED_SHARE, 1)
        self._counters.reach("connection ended: too many connections, longest idle first")
        states = [state for state in self.states.values() if type(state) is ConnectionState]
        for state in nsmallest(count, states, key=_last_time):
            self._end_quietly(state, "idle")

    def flush(self) -> None:
        """End every connection: the capture ends."""
        found: list[ConnectionState | HalfOpen] = list(self.states.values())
        if self.replaced:
            # In the order in which they began.
            found = sorted([*found, *(state for state, _ in self.replaced.values())], key=_first_packet)
        for state in found:
            replaced = self.replaced.get(state.name) if isinstance(state, ConnectionState) else None
            if replaced is not None and replaced[0] is state:
                self.end_replaced(state.name)
            else:
                self._end_quietly(state, "capture-end")


def _last_time(state: ConnectionState) -> int:
    return state.connection.last.time


def _first_packet(state: ConnectionState | HalfOpen) -> tuple[int, int]:
    first = state.first if isinstance(state, HalfOpen) else state.connection.first
    return first.time, first.packet
