# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Connections: where they begin and end, and which segment belongs to which."""

from collections import OrderedDict
from heapq import nsmallest

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.ended import EndedConnections
from kafkasniff.tcp.events import Connection, ConnectionEnd, ConnectionStart, Endpoint, StreamData, StreamEvent
from kafkasniff.tcp.flow_keys import FlowKey, reverse, split
from kafkasniff.tcp.half_open import HalfOpen
from kafkasniff.tcp.holes import OpenHoles, close_proven, drain, look_for_hole, relieve
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.memory import Memory
from kafkasniff.tcp.segments import Segment
from kafkasniff.tcp.sequence import MASK, distance
from kafkasniff.tcp.state import ConnectionState, is_first
from kafkasniff.tcp.streams import FARTHEST, Stream
from kafkasniff.tcp.timers import Timers

_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
_EVICTED_SHARE = 16
_FAST_OPEN_DATA = 65_535


class ConnectionTable:
    """All connections. What happens on them is appended to `events`."""

    def __init__(self, limits: TcpLimits, counters: TcpCounters) -> None:
        """Start with none."""
        self.events: list[StreamEvent] = []
        self._limits = limits
        self._counters = counters
        self.memory = Memory(limits, counters)
        self.timers = Timers()
        self._states: dict[FlowKey, ConnectionState | HalfOpen] = {}
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
        length: int,
        arrival: Arrival,
        tunnel: tuple[str, ...] = (),
        fragments: tuple[Arrival, ...] = (),
    ) -> None:
        """Take a segment; `length` is that of its payload on the wire, `data` what was captured of it."""
        if arrival.time >= self.timers.next:
            self.run_timers(arrival)
        if length:
            self.memory.arrive(len(data))
        found = self._states.get(key)
        if type(found) is ConnectionState:
            state = found
            if not state.careful and flags & 0x17 == _ACK and len(data) == length:
                second = key != state.key
                stream = state.streams[second]
                peer = state.streams[not second]
                if sequence == stream.sequence and (peer.sequence - acknowledgement) & MASK < 0x80000000:
                    # The usual case: what comes next, acknowledging what was seen.
                    connection = state.connection
                    connection.last = arrival
                    counters = stream.counters
                    counters.packets += 1
                    if length:
                        event = StreamData.__new__(StreamData)
                        event.connection = connection
                        event.direction = stream.direction
                        event.data = data
                        event.arrival = arrival
                        event.delivered_by = arrival
                        event.fragments = fragments
                        event.contradicted = ()
                        self.events.append(event)
                        counters.data_bytes += length
                        stream.position += length
                        stream.sequence = (sequence + length) & MASK
                        stream.remember(event)
                    return
        elif flags & 0x17 == _SYN and not length and self._take_syn(found, key, sequence, arrival, tunnel):
            return
        self._receive(found, Segment(key, tunnel, sequence, acknowledgement, flags, data, length, fragments), arrival)

    def note_zero_window(self, key: FlowKey) -> None:
        """Count a segment that says that its sender can take no more data."""
        state = self._states.get(key)
        if isinstance(state, HalfOpen):
            state.zero_windows += 1
        elif state is not None:
            state.streams[key != state.key].counters.zero_windows += 1

    def tick(self, now: int) -> None:
        """Do what is put off until a time that has come; all packets up to `now`, in ns since 1970, were taken."""
        while now >= self.timers.next:
            # One by one, so that what each brings names its own connection's last packet.
            self.run_timers(self.timers.first().connection.last.at(self.timers.next))
        for state, by in self.holes.close_old(now, self.events):
            self._settle(state, state.order, by)

    def flush(self) -> None:
        """End every connection: the capture ends."""
        for state in [state for key, state in self._states.items() if key == state.key]:
            self._end_quietly(state, "capture-end")

    # One segment

    def _receive(self, state: ConnectionState | HalfOpen | None, segment: Segment, arrival: Arrival) -> None:
        if not isinstance(state, ConnectionState):
            state = self._find_or_start(state, segment, arrival)
        if state is not None and state.challenge is not None and state.challenge.is_accepted(state, segment):
            challenge = state.challenge
            state = self._replace(state, challenge.segment, challenge.arrival)
            self._receive(state, challenge.segment, challenge.arrival)
        if state is not None and segment.flags & _SYN:
            state = self._synchronise(state, segment, arrival)
        if state is None:
            return
        direction = 0 if segment.key == state.key else 1
        stream, peer = state.streams[direction], state.streams[1 - direction]
        state.connection.last = arrival
        stream.counters.packets += 1
        stream.counters.cut_packets += len(segment.data) < segment.length
        order = state.order
        if state.half_open and segment.flags & (_SYN | _ACK) != _SYN:
            state.half_open = False
            self._half_open.pop(state.key, None)
        sequence = (segment.sequence + bool(segment.flags & _SYN)) & MASK
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
                state.connection.ended_direction = direction
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
            state.reset = state.closing = None
        stream.take(sequence, segment.data, segment.length, arrival, segment.fragments, state.order, self.events)
        if state.holding and state.sent is None and state.connection.round_trip_ns is None:
            end = stream.position + distance((sequence + segment.length) & MASK, stream.sequence)
            state.sent = (stream, end, arrival.time)
        if not stream.anchored and not state.timed:
            state.timed = True
            self.timers.set(arrival.time + self._limits.start_ns, state, self._open)
        if stream.buffered > self._limits.buffered_per_direction:
            self._counters.reach("hole closed: too many bytes of a connection waited behind it")
            relieve(stream, arrival, self.events)

    def _settle(self, state: ConnectionState, order: int, arrival: Arrival) -> None:
        """Do what follows from a segment: release, close holes, end."""
        connection, (first, second) = state.connection, state.streams
        if state.holding:
            decided = first.anchored and second.anchored and connection.round_trip_ns is not None
            full = self.memory.buffered > self._limits.buffered_in_all
            if full:
                self._counters.reach("beginning of a connection taken as it came: too many bytes waited for others")
            if decided or full or order >= self._limits.reordering_packets:
                state.release(arrival, self.events)
        for stream, peer in ((first, second), (second, first)):
            if stream.at_rest:
                continue
            look_for_hole(stream, order, arrival.time, peer.counters.packets)
            if stream.hole is not None:
                close_proven(stream, order, arrival, peer.counters.packets, self.events)
            stream.check_end(self.events)
        if first.finished and second.finished:
            self._end(state, "fin", arrival)
            return
        if state.closing is None and first.fin is not None and second.fin is not None:
            self._close_later(state, order, arrival)
        if state.closing is not None and order - state.closing >= self._limits.reordering_packets:
            self._end(state, "fin", arrival)
            return
        if state.outlives_challenge(self._limits.reordering_packets):
            self._counters.implausible += 1
        holes = first.hole is not None or second.hole is not None
        if holes:
            self.holes.add(state)
            if self.memory.buffered > self._limits.buffered_in_all:
                self.holes.relieve(arrival, self.events)
        else:
            self.holes.discard(state)
        state.note_care(holes)

    # Beginnings

    def _take_syn(
        self,
        state: ConnectionState | HalfOpen | None,
        key: FlowKey,
        sequence: int,
        arrival: Arrival,
        tunnel: tuple[str, ...],
    ) -> bool:
        """Take a SYN that opens a new connection, or a copy of it; False where it is neither for certain."""
        if state is None:
            other = reverse(key)
            if other in self._states or min(key, other) in self.ended:
                return False
            self._states[key] = HalfOpen(key, tunnel, sequence, arrival)
            self._counters.connections += 1
            self._add_half_open(key)
            return True
        if not isinstance(state, HalfOpen) or state.initial != sequence:
            return False
        state.add(arrival)
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

    def _find_or_start(self, state: HalfOpen | None, segment: Segment, arrival: Arrival) -> ConnectionState | None:
        """Find the connection, of which `state` is known, or start one; None for late segments of an ended one."""
        if state is not None:
            return self._hold_fully(state)
        other = reverse(segment.key)
        known = self._states.get(other)
        if known is not None:
            known = self._hold_fully(known) if isinstance(known, HalfOpen) else known
            self._states[segment.key] = known
            return known
        ended = self.ended.get(min(segment.key, other))
        if ended is None:
            return self._start(segment, 0, arrival)
        if ended.has(segment, arrival.time):
            self._counters.after_end += 1
            return None
        self.ended.pop(min(segment.key, other))
        return self._start(segment, ended.epoch + 1, arrival)

    def _start(self, segment: Segment, epoch: int, arrival: Arrival) -> ConnectionState:
        source, destination = split(segment.key)
        connection = Connection((Endpoint(*source), Endpoint(*destination)), epoch, arrival, arrival)
        connection.tunnel = segment.tunnel
        state = self._hold(segment.key, connection)
        self._counters.connections += 1
        if segment.flags & (_SYN | _ACK) == _SYN:
            state.half_open = True
            self._add_half_open(segment.key)
        return state

    def _hold(self, key: FlowKey, connection: Connection) -> ConnectionState:
        if self._open >= self._limits.connections:
            self._evict_idle()
        self._open += 1
        self.events.append(ConnectionStart(connection))
        state = self._states[key] = ConnectionState(key, connection, self.memory)
        return state

    def _synchronise(self, state: ConnectionState, segment: Segment, arrival: Arrival) -> ConnectionState | None:
        """Take a SYN or SYN-ACK; give the connection that it belongs to, which may be a new one."""
        direction = 0 if segment.key == state.key else 1
        stream, peer = state.streams[direction], state.streams[1 - direction]
        same = is_first(stream, segment)
        opens = not segment.flags & _ACK
        answered = peer.initial if same and not opens else None
        if answered is not None and not 0 < distance(segment.acknowledgement, answered) <= _FAST_OPEN_DATA:
            # An answer to another SYN.
            self._counters.implausible += 1
            return None
        if not same:
            if opens and state.takes_challenge(segment, arrival):
                return None
            state = self._replace(state, segment, arrival)
            direction = 0
        state.synchronise(direction, segment, arrival)
        return state

    def _replace(self, state: ConnectionState, segment: Segment, arrival: Arrival) -> ConnectionState:
        """End a connection as a segment begins another one on its 4-tuple, and start that."""
        self._end(state, "reuse", arrival)
        return self._start(segment, self.ended.pop(min(segment.key, reverse(segment.key))).epoch + 1, arrival)

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
        carried = any(each.pending or each.position > each.origin for each in state.streams)
        lacks = any(each.anchored and each.acked > each.position for each in state.streams)
        if not carried and not lacks:
            self._end(state, "rst", arrival)
        elif state.closing is None:
            self._close_later(state, state.order, arrival)

    def _close_later(self, state: ConnectionState, order: int, arrival: Arrival) -> None:
        state.closing = order
        self.timers.set(arrival.time + self._limits.closing_ns, state, self._open)

    def _end(self, state: ConnectionState, reason: str, arrival: Arrival) -> None:
        """End a connection: deliver what waits, say why it ended, and remember it for its late segments."""
        connection = state.connection
        if connection.ended_by is not None:
            return
        first, second = state.streams
        if not (first.finished and second.finished) and (not state.half_open or first.pending):
            drain(state.streams, arrival, self.events)
        if state.reset:
            reason, connection.ended_direction = "rst", state.reset[0].direction
            arrival = state.reset[2]
        elif first.fin is not None and second.fin is not None:
            reason = "fin"
        connection.ended_by = reason
        self.events.append(ConnectionEnd(connection, arrival))
        for stream in state.streams:
            stream.discard()
        del self._states[state.key]
        self._states.pop(reverse(state.key), None)
        self._half_open.pop(state.key, None)
        self.holes.discard(state)
        self._open -= 1
        if state.half_open and connection.epoch == 0 and reason == "idle":
            return
        self.ended.add(state)

    def _end_quietly(self, state: ConnectionState | HalfOpen, reason: str) -> None:
        """End a connection for a reason that is none of its packets."""
        if isinstance(state, ConnectionState):
            self._end(state, reason, state.connection.last)
            return
        connection = state.connection()
        connection.ended_by = reason
        self.events += (ConnectionStart(connection), ConnectionEnd(connection, state.last))
        del self._states[state.key]
        del self._half_open[state.key]

    # Bounds and time

    def _evict_idle(self) -> None:
        count = max(self._limits.connections // _EVICTED_SHARE, 1)
        self._counters.reach("connection ended: too many connections, longest idle first")
        states = [
            state for key, state in self._states.items() if isinstance(state, ConnectionState) and key == state.key
        ]
        for state in nsmallest(count, states, key=lambda state: state.connection.last.time):
            self._end_quietly(state, "idle")

    def run_timers(self, arrival: Arrival) -> None:
        """Do what was put off until the time of a packet that arrives, before it is taken."""
        while (state := self.timers.take(arrival.time)) is not None:
            if state.holding:
                state.release(arrival, self.events)
                self._settle(state, state.order, arrival)
            elif state.closing is not None:
                self._end(state, "fin", arrival)
