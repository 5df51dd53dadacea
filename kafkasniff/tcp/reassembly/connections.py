# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Connections: where they begin and end, and which segment belongs to which."""

from collections import OrderedDict
from heapq import nsmallest

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Connection, ConnectionEnd, Receiver, StreamEvent
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.segments import Segment
from kafkasniff.tcp.reassembly.ended import EndedConnections
from kafkasniff.tcp.reassembly.flow_keys import FlowKey
from kafkasniff.tcp.reassembly.half_open import HalfOpen
from kafkasniff.tcp.reassembly.holes import OpenHoles, drain, relieve
from kafkasniff.tcp.reassembly.memory import Memory
from kafkasniff.tcp.reassembly.state import ConnectionState
from kafkasniff.tcp.reassembly.streams import Stream
from kafkasniff.tcp.reassembly.timers import Timers

if not cython.compiled:
    from kafkasniff.octets import big32, part
    from kafkasniff.tcp.reassembly.ended import remembered
    from kafkasniff.tcp.reassembly.flow_keys import canonical, endpoints
    from kafkasniff.tcp.reassembly.holes import close_proven, look_for_hole
    from kafkasniff.tcp.reassembly.sequence import FARTHEST, HALF, MASK, NEVER, distance
    from kafkasniff.tcp.reassembly.state import is_first

_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
_EVICTED_SHARE = 16
_FAST_OPEN_DATA = 65_535
_SLOTS, _MOST_SLOTS = 1 << 10, 1 << 18
_GOLDEN_RATIO = 0x9E3779B1
"""Of 2**32: multiplied by it, numbers near each other come to lie far apart."""


class ConnectionTable:
    """All connections. What happens on them is appended to `events`, or goes to the receiver at once."""

    __slots__ = (
        "_counters",
        "_half_open",
        "_limits",
        "_open",
        "_receiver",
        "_recent",
        "_reordering",
        "_replaced",
        "_states",
        "ended",
        "events",
        "holes",
        "memory",
        "timers",
    )

    def __init__(self, limits: TcpLimits, counters: TcpCounters, receiver: Receiver) -> None:
        """Start with none."""
        self.events: list[StreamEvent] = []
        self._receiver = receiver
        self._limits = limits
        self._counters = counters
        self.memory = Memory(limits, counters)
        self.timers = Timers()
        self._states: dict[FlowKey, ConnectionState | HalfOpen] = {}
        """By the smaller key of the 4-tuple."""
        self._replaced: dict[FlowKey, tuple[ConnectionState, Arrival]] = {}
        """Connections that another took over, with its SYN's packet: segments of theirs may come late."""
        self._recent: list[ConnectionState | None] = [None] * _SLOTS
        """The IPv4 connections seen last, each at its `_slot`: to look there makes no key."""
        self._reordering = limits.reordering_packets
        self._open = 0
        """Connections of which more than a SYN is held."""
        # OrderedDict: of a plain dict, finding the first again and again takes quadratic time.
        self._half_open: OrderedDict[FlowKey, None] = OrderedDict()
        self.ended = EndedConnections(limits.ended)
        self.holes = OpenHoles(self.memory)

    def receive(
        self,
        key: FlowKey,
        sequence: int,
        acknowledgement: int,
        flags: int,
        data: bytes,
        start: int,
        captured: int,
        length: int,
        arrival: Arrival,
        tunnel: tuple[str, ...] = (),
        fragments: tuple[Arrival, ...] = (),
    ) -> None:
        """Take a segment with a payload of `length` bytes; `captured` bytes of it are in `data` from `start` on."""
        if arrival.time >= self.timers.next:
            self.run_timers(arrival)
        found = self._states.get(canonical(key))
        if type(found) is ConnectionState and not fragments:
            second = found.is_second(key)
            if self._take_next(found, second, sequence, acknowledgement, flags, data, start, captured, length, arrival):
                return
        self._take(
            found, key, sequence, acknowledgement, flags, data, start, captured, length, arrival, tunnel, fragments
        )

    def receive_ipv4(
        self,
        data: bytes,
        view: bytes,
        ip: int,
        flags: int,
        payload: int,
        captured: int,
        length: int,
        arrival: Arrival,
    ) -> None:
        """Take a segment in `data`, which `view` is too: its IPv4 header without options is at `ip`.

        The first `captured` of the `length` bytes of its payload begin at `payload`.
        """
        if arrival.time >= self.timers.next:
            self.run_timers(arrival)
        source, destination, ports = big32(view, ip + 12), big32(view, ip + 16), big32(view, ip + 20)
        sequence, acknowledgement = big32(view, ip + 24), big32(view, ip + 28)
        slot = self._slot(source, destination, ports)
        state = self._recent[slot]
        is_known = second = False
        if state is not None:
            is_known = ports == state.ports and source == state.source and destination == state.destination
            if not is_known:
                second = ports == state.ports_back and source == state.destination and destination == state.source
        if not is_known and not second:
            key: FlowKey = part(data, ip + 12, ip + 24)
            found = self._states.get(canonical(key))
            if type(found) is not ConnectionState:
                self._take(
                    found, key, sequence, acknowledgement, flags, data, payload, captured, length, arrival, (), ()
                )
                return
            state = self._recent[slot] = found
            second = found.is_second(key)
        assert state is not None
        if not self._take_next(
            state, second, sequence, acknowledgement, flags, data, payload, captured, length, arrival
        ):
            key = state.other if second else state.key
            self._take(state, key, sequence, acknowledgement, flags, data, payload, captured, length, arrival, (), ())

    def _slot(self, source: int, destination: int, ports: int) -> int:
        """Give where in `_recent` a connection of such ends stands, if it does; the same for both directions."""
        mixed = (source ^ destination ^ (ports >> 16) ^ (ports & 0xFFFF)) * _GOLDEN_RATIO
        return (mixed >> 16) & (len(self._recent) - 1)

    def _take_next(
        self,
        state: ConnectionState,
        second: bool,
        sequence: int,
        acknowledgement: int,
        flags: int,
        data: bytes,
        start: int,
        captured: int,
        length: int,
        arrival: Arrival,
    ) -> bool:
        """Take a segment if it comes next and acknowledges what was seen; tell whether it does so."""
        if state.careful or flags & 0x17 != _ACK or captured < min(length, 1):
            return False
        if second:
            stream, peer = state.second, state.first
        else:
            stream, peer = state.first, state.second
        if sequence != stream.sequence or (peer.sequence - acknowledgement) & MASK >= HALF:
            return False
        connection = state.connection
        connection.last = arrival
        counters = stream.counters
        counters.packets += 1
        if length:
            self._count(captured)
            payload = part(data, start, start + captured)
            counters.data_bytes += captured
            stream.position += length
            stream.sequence = (sequence + length) & MASK
            stream.remember(payload, captured, arrival.time)
            if captured < length:
                counters.cut_packets += 1
                stream.note_gap(length - captured, arrival.time)
            self._receiver.take_segment(connection, stream.direction, payload, length - captured, arrival)
        return True

    def _count(self, captured: int) -> None:
        """Count a payload that arrives, before it is remembered."""
        memory = self.memory
        memory.arrived += captured
        if memory.arrived > memory.most_remembered:
            memory.forget(captured)

    def _take(
        self,
        found: ConnectionState | HalfOpen | None,
        key: FlowKey,
        sequence: int,
        acknowledgement: int,
        flags: int,
        data: bytes,
        start: int,
        captured: int,
        length: int,
        arrival: Arrival,
        tunnel: tuple[str, ...],
        fragments: tuple[Arrival, ...],
    ) -> None:
        """Take a segment of a connection of which `found` is known."""
        self._count(captured)
        opens = flags & 0x17 == _SYN and not length
        if opens and not isinstance(found, ConnectionState) and self._take_syn(found, key, sequence, arrival, tunnel):
            return
        segment = Segment.__new__(Segment)
        segment.key = key
        segment.tunnel = tunnel
        segment.sequence = sequence
        segment.acknowledgement = acknowledgement
        segment.flags = flags
        segment.data = part(data, start, start + captured)
        segment.length = length
        segment.fragments = fragments
        self._receive(found, segment, arrival)

    def note_sender(self, key: FlowKey, closed: bool, mss: int) -> None:
        """Note what a segment says of its sender: that it can take no more data, and its MSS where that is not 0."""
        found = self._states.get(canonical(key))
        if isinstance(found, HalfOpen):
            if key == found.key:
                found.zero_windows += closed
                found.mss = mss or found.mss
        elif found is not None:
            state = found
            counters = state.second.counters if state.is_second(key) else state.first.counters
            counters.zero_windows += closed
            counters.mss = mss or counters.mss

    def tick(self, now: int) -> None:
        """Do what is put off until a time that has come; all packets up to `now`, in ns since 1970, were taken."""
        while now >= self.timers.next:
            # One by one, so that what each brings names its own connection's last packet.
            self.run_timers(self.timers.first().connection.last.at(self.timers.next))
        for state, by in self.holes.close_old(now, self.events):
            self._settle(state, state.order(), by)

    def flush(self) -> None:
        """End every connection: the capture ends."""
        found: list[ConnectionState | HalfOpen] = list(self._states.values())
        if self._replaced:
            # In the order in which they began.
            found = sorted([*found, *(state for state, _ in self._replaced.values())], key=_first_packet)
        for state in found:
            replaced = self._replaced.get(state.name) if isinstance(state, ConnectionState) else None
            if replaced is not None and replaced[0] is state:
                self._end_replaced(state.name)
            else:
                self._end_quietly(state, "capture-end")

    # One segment

    def _receive(self, found: ConnectionState | HalfOpen | None, segment: Segment, arrival: Arrival) -> None:
        if isinstance(found, ConnectionState):
            state: ConnectionState | None = found
        else:
            state = self._find_or_start(found, segment, arrival)
        if state is not None and state.challenge is not None and state.challenge.is_accepted(state, segment):
            challenge = state.challenge
            state = self._replace(state, challenge.segment, challenge.arrival)
            self._receive(state, challenge.segment, challenge.arrival)
        if state is not None and segment.flags & _SYN:
            state = self._synchronise(state, segment, arrival)
        if state is None:
            return
        if state.is_second(segment.key):
            stream, peer = state.second, state.first
        else:
            stream, peer = state.first, state.second
        if state.connection.epoch:
            replaced = self._replaced.get(state.name)
            before = self.ended.get(state.name) if replaced is None else remembered(replaced[0])
            if before is not None and before.has_rather_than(stream, peer, segment, arrival.time):
                if replaced is None:
                    self._counters.after_end += 1
                    return
                state = replaced[0]
                second = state.is_second(segment.key)
                stream, peer = (state.second, state.first) if second else (state.first, state.second)
            elif replaced is not None and state.order() >= self._reordering:
                self._end_replaced(state.name)
        state.connection.last = arrival
        stream.counters.packets += 1
        if len(segment.data) < segment.length:
            stream.counters.cut_packets += 1
        order = state.order()
        if state.half_open and segment.flags & (_SYN | _ACK) != _SYN:
            state.half_open = False
            self._half_open.pop(state.name, None)
        sequence = segment.sequence
        if segment.flags & _SYN:
            sequence = (sequence + 1) & MASK
        if segment.flags & _RST:
            self._reset(state, stream, peer, segment, arrival)
        else:
            if segment.flags & _ACK:
                state.acknowledge(stream, peer, segment, arrival)
            if segment.length:
                self._take_data(state, stream, segment, sequence, arrival)
            else:
                stream.stand_at(sequence)
            end = (sequence + segment.length) & MASK
            if segment.flags & _FIN and stream.end_at(end, arrival) and state.connection.ended_direction is None:
                state.connection.ended_direction = stream.direction
                state.connection.first_fin = arrival
        self._settle(state, order, arrival)

    def _take_data(
        self, state: ConnectionState, stream: Stream, segment: Segment, sequence: int, arrival: Arrival
    ) -> None:
        if not stream.anchored and not state.holding:
            if not stream.known:
                stream.refer(sequence)
            stream.anchor()
        if state.reset and state.reset[0] is stream and distance(sequence, state.reset[1]) >= 0:
            # Who reset the connection goes on sending: the reset was not theirs, or not accepted.
            state.reset, state.closing = None, -1
        stream.take(sequence, segment.data, segment.length, arrival, segment.fragments, state.order(), self.events)
        if state.holding:
            state.note_sent(stream, segment, sequence, arrival)
        if not stream.anchored and not state.timed:
            state.timed = True
            self.timers.set(arrival.time + self._limits.start_ns, state, self._open)
        if stream.buffered > self._limits.buffered_per_direction:
            self._counters.reach("hole closed: too many bytes of a connection waited behind it")
            relieve(stream, arrival, self.events)

    def _settle(self, state: ConnectionState, order: int, arrival: Arrival) -> None:
        """Do what follows from a segment: release, close holes, end."""
        connection, first, second = state.connection, state.first, state.second
        if state.holding:
            decided = first.anchored and second.anchored and connection.round_trip_ns is not None
            full = self.memory.buffered > self.memory.most_buffered
            if full:
                self._counters.reach("beginning of a connection taken as it came: too many bytes waited for others")
            if decided or full or order >= self._reordering:
                state.release(arrival, self.events)
        self._look_at(first, second, order, arrival)
        self._look_at(second, first, order, arrival)
        if first.finished and second.finished:
            self._end(state, "fin", arrival)
            return
        if state.closing < 0 and NEVER not in (first.fin, second.fin):
            self._close_later(state, order, arrival)
        if state.closing >= 0 and order - state.closing >= self._reordering:
            self._end(state, "fin", arrival)
            return
        if state.challenge is not None and state.outlives_challenge(self._reordering):
            self._counters.implausible += 1
        holes = first.hole is not None or second.hole is not None
        if holes:
            self.holes.add(state)
            if self.memory.buffered > self.memory.most_buffered:
                self.holes.relieve(arrival, self.events)
        elif state.has_holes:
            self.holes.discard(state)
        state.note_care(holes)

    def _look_at(self, stream: Stream, peer: Stream, order: int, arrival: Arrival) -> None:
        """Look at a stream's hole and at its end."""
        if stream.at_rest():
            return
        heard = peer.counters.packets
        look_for_hole(stream, order, arrival.time, heard)
        if stream.hole is not None:
            close_proven(stream, order, arrival, heard, self.events)
        stream.check_end()

    # Beginnings

    def _take_syn(
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
            self._states[name] = HalfOpen(key, tunnel, sequence, arrival)
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
            self._end_quietly(self._states[next(iter(self._half_open))], "idle")

    def _hold_fully(self, opened: HalfOpen) -> ConnectionState:
        """Hold of a half-open connection what segments beside its SYN need."""
        state = self._hold(opened.key, opened.connection())
        state.go_on_from(opened)
        return state

    def _find_or_start(self, opened: HalfOpen | None, segment: Segment, arrival: Arrival) -> ConnectionState | None:
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
        if self._open >= self._limits.connections:
            self._evict_idle()
        self._open += 1
        if self._open > len(self._recent) < _MOST_SLOTS:
            self._recent = [None] * (4 * len(self._recent))
        state = ConnectionState(key, connection, self.memory)
        self._states[state.name] = state
        return state

    def _synchronise(self, state: ConnectionState, segment: Segment, arrival: Arrival) -> ConnectionState | None:
        """Take a SYN or SYN-ACK; give the connection that it belongs to, which may be a new one."""
        second = state.is_second(segment.key)
        stream, peer = (state.second, state.first) if second else (state.first, state.second)
        same = is_first(stream, segment)
        opens = not segment.flags & _ACK
        if same and not opens and peer.initial >= 0:
            ahead = distance(segment.acknowledgement, peer.initial)
            if not 0 < ahead <= _FAST_OPEN_DATA:
                # An answer to another SYN.
                self._counters.implausible += 1
                return None
        if not same:
            if opens and state.takes_challenge(segment, arrival):
                return None
            state = self._replace(state, segment, arrival)
            second = False
        state.synchronise(second, segment, arrival)
        replaced = self._replaced.get(state.name)
        if replaced is not None:
            self._hand_over(replaced[0], state)
        return state

    def _hand_over(self, earlier: ConnectionState, state: ConnectionState) -> None:
        """Give a connection its segments that were captured before its SYN, and strayed from the earlier one."""
        for key, before in ((earlier.key, earlier.first), (earlier.other, earlier.second)):
            stream = state.second if state.is_second(key) else state.first
            strays = before.strays or ()
            if not strays or not stream.known or abs(distance(strays[0][0], stream.sequence)) > FARTHEST:
                continue
            before.strays = None
            for sequence, chunk in strays:
                length = chunk.end - chunk.start
                stream.take(sequence, chunk.data, length, chunk.arrival, chunk.fragments, state.order(), self.events)

    def _replace(self, state: ConnectionState, segment: Segment, arrival: Arrival) -> ConnectionState:
        """End a connection as a segment begins another one on its 4-tuple, and start that."""
        name = state.name
        if name in self._replaced:
            self._end_replaced(name)
        if state.half_open:
            self._end(state, "reuse", arrival)
        else:
            self._forget(state)
            self._replaced[name] = state, arrival
            self._close_later(state, state.order(), arrival)
        return self._start(segment, state.connection.epoch + 1, arrival)

    def _end_replaced(self, name: FlowKey) -> None:
        """End a connection whose 4-tuple another one took over."""
        state, arrival = self._replaced.pop(name)
        self._end(state, "reuse", arrival)

    def _forget(self, state: ConnectionState) -> None:
        """Find a connection by its 4-tuple no more."""
        if self._states.get(state.name) is state:
            del self._states[state.name]
        slot = self._slot(state.source, state.destination, state.ports)
        if self._recent[slot] is state:
            self._recent[slot] = None

    # Ends

    def _reset(self, state: ConnectionState, stream: Stream, peer: Stream, segment: Segment, arrival: Arrival) -> None:
        if stream.known and abs(distance(segment.sequence, stream.sequence)) > FARTHEST:
            # RFC 5961: not in the window, so not accepted.
            self._counters.implausible += 1
            return
        if stream.known:
            # The sender had sent the bytes before it.
            stream.acknowledge(segment.sequence)
        if state.reset is None:
            state.reset = (stream, segment.sequence, arrival)
        first, second = state.first, state.second
        carried = first.pending or second.pending or first.position > first.origin or second.position > second.origin
        lacks = (first.anchored and first.acked > first.position) or (
            second.anchored and second.acked > second.position
        )
        if not carried and not lacks:
            self._end(state, "rst", arrival)
        elif state.closing < 0:
            self._close_later(state, state.order(), arrival)

    def _close_later(self, state: ConnectionState, order: int, arrival: Arrival) -> None:
        state.closing = order
        self.timers.set(arrival.time + self._limits.closing_ns, state, self._open)

    def _end(self, state: ConnectionState, reason: str, arrival: Arrival) -> None:
        """End a connection: deliver what waits, say why it ended, and remember it for its late segments."""
        connection, first, second = state.connection, state.first, state.second
        if connection.ended_by is not None:
            return
        replaced = self._replaced.get(state.name)
        if replaced is not None:
            self._replaced.pop(state.name)
            if replaced[0] is not state:
                self._end(replaced[0], "reuse", replaced[1])
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
        self._open -= 1
        if state.half_open and connection.epoch == 0 and reason == "idle":
            return
        self.ended.add(state.name, remembered(state))

    def _end_quietly(self, found: ConnectionState | HalfOpen, reason: str) -> None:
        """End a connection for a reason that is none of its packets."""
        if isinstance(found, ConnectionState):
            self._end(found, reason, found.connection.last)
            return
        opened = found
        connection: Connection = opened.connection()
        connection.ended_by = reason
        self.events.append(ConnectionEnd(connection, opened.last))
        name = canonical(opened.key)
        del self._states[name]
        del self._half_open[name]

    # Bounds and time

    def _evict_idle(self) -> None:
        count = max(self._limits.connections // _EVICTED_SHARE, 1)
        self._counters.reach("connection ended: too many connections, longest idle first")
        states = [state for state in self._states.values() if type(state) is ConnectionState]
        for state in nsmallest(count, states, key=_last_time):
            self._end_quietly(state, "idle")

    def run_timers(self, arrival: Arrival) -> None:
        """Do what was put off until the time of a packet that arrives, before it is taken."""
        while (state := self.timers.take(arrival.time)) is not None:
            if state.holding:
                state.release(arrival, self.events)
                self._settle(state, state.order(), arrival)
            elif state.closing >= 0:
                replaced = self._replaced.get(state.name)
                if replaced is not None and replaced[0] is state:
                    self._end_replaced(state.name)
                else:
                    self._end(state, "fin", arrival)


def _last_time(state: ConnectionState) -> int:
    return state.connection.last.time


def _first_packet(state: ConnectionState | HalfOpen) -> tuple[int, int]:
    first = state.first if isinstance(state, HalfOpen) else state.connection.first
    return first.time, first.packet
