"""Connections: where they begin and end, and which segment belongs to which."""

from collections import OrderedDict
from heapq import heapify, heappop, heappush, nsmallest

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.chunks import MASK, distance
from kafkasniff.tcp.events import Connection, ConnectionEnd, ConnectionStart, Endpoint, StreamData, StreamEvent
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.segments import FlowKey, Segment, reverse, split
from kafkasniff.tcp.state import ConnectionState, Ended, may_begin
from kafkasniff.tcp.streams import FARTHEST, Memory, Stream, drain

_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
_EVICTED_SHARE = 16
NO_TIMER = 1 << 63
_SPARE_TIMERS = 1_024
_ENDED_NS = 60_000_000_000
_SYN_COPY_NS = 100_000_000
_FAST_OPEN_DATA = 65_535


class ConnectionTable:
    """All connections. What happens on them is appended to `events`."""

    def __init__(self, limits: TcpLimits, counters: TcpCounters) -> None:
        """Start with none."""
        self.events: list[StreamEvent] = []
        self._limits = limits
        self._counters = counters
        self.memory = Memory(limits, counters)
        self.next_timer = NO_TIMER
        """Time from which on `run_timers` has something to do."""
        self._states: dict[FlowKey, ConnectionState] = {}
        self._open = 0
        # OrderedDict: of a plain dict, finding the first again and again takes quadratic time.
        self._half_open: OrderedDict[FlowKey, None] = OrderedDict()
        self._ended: OrderedDict[FlowKey, Ended] = OrderedDict()
        self._holes: OrderedDict[ConnectionState, None] = OrderedDict()
        self._timers: list[tuple[int, int, ConnectionState]] = []
        self._timer_number = 0

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
        if arrival.time >= self.next_timer:
            self.run_timers(arrival)
        if length:
            self.memory.arrive(len(data))
        state = self._states.get(key)
        if state is not None and not state.careful and flags & 0x17 == _ACK:
            streams = state.streams
            stream, peer = streams if key == state.key else (streams[1], streams[0])
            if sequence == stream.sequence and (peer.sequence - acknowledgement) & MASK < 0x80000000:
                # The usual case: what comes next, acknowledging what was seen.
                connection = state.connection
                connection.last = arrival
                counters = stream.counters
                counters.packets += 1
                if length == 0:
                    return
                if len(data) == length:
                    event = StreamData(connection, stream.direction, data, arrival, arrival, fragments)
                    self.events.append(event)
                    counters.data_bytes += length
                    stream.position += length
                    stream.sequence = (sequence + length) & MASK
                    stream.remember(event)
                    return
                counters.packets -= 1
        self._receive(state, Segment(key, tunnel, sequence, acknowledgement, flags, data, length, fragments), arrival)

    def orderly(self, key: FlowKey) -> ConnectionState | None:
        """Give the connection with a direction `key` if a segment that comes next in it needs no other care."""
        state = self._states.get(key)
        return None if state is None or state.careful else state

    def may_evict(self, packets: int) -> bool:
        """Tell whether so many packets may open more connections than are followed at once."""
        return self._open + packets > self._limits.connections

    def note_zero_window(self, key: FlowKey) -> None:
        """Count a segment that says that its sender can take no more data."""
        state = self._states.get(key)
        if state is not None:
            state.streams[key != state.key].counters.zero_windows += 1

    def tick(self, now: int) -> None:
        """Do what is put off until a time that has come; all packets up to `now`, in ns since 1970, were taken."""
        while now >= self.next_timer:
            # One by one, so that what each brings names its own connection's last packet.
            time, _, state = self._timers[0]
            self.run_timers(state.connection.last._replace(time=time))
        for state in list(self._holes):
            by = state.connection.last._replace(time=max(now, state.connection.last.time))
            for stream, peer in zip(state.streams, reversed(state.streams), strict=True):
                if stream.hole_order is not None and now - stream.hole_time >= self._limits.hole_ns:
                    stream.close_proven(state.order, by, peer.counters.packets, self.events, in_order=True)
                    self._settle(state, state.order, by)

    def flush(self) -> None:
        """End every connection: the capture ends."""
        for state in [state for key, state in self._states.items() if key == state.key]:
            self._end(state, "capture-end", state.connection.last)

    # One segment

    def _receive(self, state: ConnectionState | None, segment: Segment, arrival: Arrival) -> None:
        if state is None:
            state = self._find_or_start(segment, arrival)
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
                self._acknowledge(state, stream, peer, segment, arrival)
            if segment.length:
                self._take_data(state, stream, segment, sequence, arrival)
            elif not stream.anchored and not stream.pending:
                stream.refer(sequence)
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
        order = state.order
        stream.take(sequence, segment.data, segment.length, arrival, segment.fragments, order, self.events)
        if state.holding and state.sent is None and state.connection.round_trip_ns is None:
            end = stream.position + distance((sequence + segment.length) & MASK, stream.sequence)
            state.sent = (stream, end, arrival.time)
        if not stream.anchored and not state.timed:
            state.timed = True
            self._set_timer(arrival.time + self._limits.start_ns, state)
        if stream.buffered > self._limits.buffered_per_direction:
            self._counters.reach("hole closed: too many bytes of a connection waited behind it")
            stream.relieve(arrival, self.events)

    def _acknowledge(
        self, state: ConnectionState, stream: Stream, peer: Stream, segment: Segment, arrival: Arrival
    ) -> None:
        if stream.known and abs(distance(segment.sequence, stream.sequence)) > FARTHEST:
            # From a stale connection, or the stream leapt; the data decide that.
            return
        peer.acknowledge(segment.acknowledgement)
        connection = state.connection
        if connection.round_trip_ns is None:
            if state.syn_time is not None:
                if state.syn_ack_seen and connection.initiator == stream.direction and not segment.flags & _SYN:
                    connection.round_trip_ns = max(arrival.time - state.syn_time, 0)
            elif state.sent and state.sent[0] is peer and state.sent[1] <= peer.acked:
                connection.round_trip_ns = max(arrival.time - state.sent[2], 0)

    def _settle(self, state: ConnectionState, order: int, arrival: Arrival) -> None:
        """Do what follows from a segment: release, close holes, end."""
        connection, (first, second) = state.connection, state.streams
        if state.holding:
            decided = first.anchored and second.anchored and connection.round_trip_ns is not None
            full = self.memory.buffered > self._limits.buffered_in_all
            if full:
                self._counters.reach("beginning of a connection taken as it came: too many bytes waited for others")
            if decided or full or order >= self._limits.reordering_packets:
                self._release(state, arrival)
        for stream, heard in ((first, second.counters.packets), (second, first.counters.packets)):
            stream.look_for_hole(order, arrival.time, heard)
            if stream.hole_order is not None:
                stream.close_proven(order, arrival, heard, self.events)
            stream.check_end(self.events)
        if first.finished and second.finished:
            self._end(state, "fin", arrival)
            return
        if state.closing is None and first.fin is not None and second.fin is not None:
            self._close_later(state, order, arrival)
        if state.closing is not None and order - state.closing >= self._limits.reordering_packets:
            self._end(state, "fin", arrival)
            return
        holes = first.hole_order is not None or second.hole_order is not None
        if holes:
            self._holes[state] = None
            if self.memory.buffered > self._limits.buffered_in_all:
                self._relieve(arrival)
        else:
            self._holes.pop(state, None)
        odd = first.fin is not None or second.fin is not None or first.strays or second.strays
        anchored = first.anchored and second.anchored
        state.careful = bool(state.holding or holes or odd or not anchored or state.closing is not None)

    def _release(self, state: ConnectionState, arrival: Arrival) -> None:
        """Decide where the streams begin, and deliver what waited for it in the order it came."""
        state.holding = False
        waiting = [stream for stream in state.streams if not stream.anchored and stream.known]
        for stream in waiting:
            stream.anchor()
        while waiting:
            waiting = [stream for stream in waiting if stream.pending]
            ready = sorted(waiting, key=lambda stream: stream.pending[0].order if stream.pending else 0)
            if not any(stream.deliver_first(arrival, self.events) for stream in ready):
                break

    # Beginnings

    def _find_or_start(self, segment: Segment, arrival: Arrival) -> ConnectionState | None:
        """Find the connection whose other direction is known, or start one; None for late segments of an ended one."""
        other = reverse(segment.key)
        state = self._states.get(other)
        if state is not None:
            self._states[segment.key] = state
            return state
        ended = self._ended.get(min(segment.key, other))
        if ended is None:
            return self._start(segment, 0, arrival)
        direction = 0 if segment.key == ended.key else 1
        if self._is_late(segment, ended, direction, arrival.time):
            self._counters.after_end += 1
            return None
        del self._ended[min(segment.key, other)]
        return self._start(segment, ended.epoch + 1, arrival)

    def _is_late(self, segment: Segment, ended: Ended, direction: int, time: int) -> bool:
        if segment.flags & _SYN:
            return segment.sequence == ended.initials[direction] and abs(time - ended.time) < _SYN_COPY_NS
        if segment.flags & _RST or not segment.length:
            return True
        known = ended.sequences[direction]
        near = known is None or abs(distance(segment.sequence, known)) <= FARTHEST
        return near and time - ended.time <= _ENDED_NS

    def _start(self, segment: Segment, epoch: int, arrival: Arrival) -> ConnectionState:
        if self._open >= self._limits.connections:
            self._evict_idle()
        source, destination = split(segment.key)
        connection = Connection((Endpoint(*source), Endpoint(*destination)), epoch, arrival, arrival)
        connection.tunnel = segment.tunnel
        state = ConnectionState(segment.key, connection, self.memory)
        self._states[segment.key] = state
        self._open += 1
        self._counters.connections += 1
        self.events.append(ConnectionStart(connection))
        if segment.flags & (_SYN | _ACK) == _SYN:
            state.half_open = True
            self._half_open[segment.key] = None
            if len(self._half_open) > self._limits.half_open:
                self._counters.reach("half-open connection ended: too many of them")
                oldest = self._states[next(iter(self._half_open))]
                self._end(oldest, "idle", oldest.connection.last)
        return state

    def _synchronise(self, state: ConnectionState, segment: Segment, arrival: Arrival) -> ConnectionState | None:
        """Take a SYN or SYN-ACK; give the connection that it belongs to, which may be a new one."""
        direction = 0 if segment.key == state.key else 1
        stream, peer = state.streams[direction], state.streams[1 - direction]
        first = (segment.sequence + 1) & MASK
        if stream.initial is not None:
            same = stream.initial == segment.sequence
        elif stream.known:
            same = may_begin(stream, first)
        else:
            same = True
        opens = not segment.flags & _ACK
        if not opens and same and peer.initial is not None:
            acknowledged = distance(segment.acknowledgement, peer.initial)
            if not 0 < acknowledged <= _FAST_OPEN_DATA:
                # An answer to another SYN.
                self._counters.implausible += 1
                return None
        if not same:
            self._end(state, "reuse", arrival)
            ended = self._ended.pop(min(segment.key, reverse(segment.key)))
            state = self._start(segment, ended.epoch + 1, arrival)
            direction, stream, peer = 0, state.streams[0], state.streams[1]
        if stream.initial is None:
            if not (stream.anchored and stream.position > stream.origin):
                stream.begin(first, certain=True)
            stream.initial = segment.sequence
        if state.connection.initiator is None:
            state.connection.initiator = direction if opens else 1 - direction
        if opens and (state.syn_time is None or not state.syn_ack_seen):
            state.syn_time = arrival.time
        if not opens:
            state.syn_ack_seen = True
            if not peer.known:
                peer.begin(segment.acknowledgement, certain=False)
        return state

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
        self._set_timer(arrival.time + self._limits.closing_ns, state)

    def _end(self, state: ConnectionState, reason: str, arrival: Arrival) -> None:
        """End a connection: deliver what waits, say why it ended, and remember it for its late segments."""
        connection = state.connection
        if connection.ended_by is not None:
            return
        first, second = state.streams
        if not state.half_open or first.pending:
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
        other = reverse(state.key)
        del self._states[state.key]
        self._states.pop(other, None)
        self._half_open.pop(state.key, None)
        self._holes.pop(state, None)
        self._open -= 1
        if state.half_open and connection.epoch == 0 and reason == "idle":
            return
        sequences = (first.sequence if first.known else None, second.sequence if second.known else None)
        initials = (first.initial, second.initial)
        ended = Ended(connection.epoch, connection.last.time, state.key, sequences, initials)
        self._ended[min(state.key, other)] = ended
        if len(self._ended) > self._limits.ended:
            self._ended.popitem(last=False)

    # Bounds and time

    def _relieve(self, arrival: Arrival) -> None:
        """Close the holes of the connections whose holes opened first until three quarters of the limit are kept."""
        self._counters.reach("hole closed: too many bytes of all connections waited behind holes")
        while self._holes and self.memory.buffered > self._limits.buffered_in_all * 3 // 4:
            state, _ = self._holes.popitem(last=False)
            for stream in state.streams:
                while stream.anchored and stream.pending:
                    stream.relieve(arrival, self.events)

    def _evict_idle(self) -> None:
        count = max(self._limits.connections // _EVICTED_SHARE, 1)
        self._counters.reach("connection ended: too many connections, longest idle first")
        states = (state for key, state in self._states.items() if key == state.key)
        for state in nsmallest(count, states, key=lambda state: state.connection.last.time):
            self._end(state, "idle", state.connection.last)

    def _set_timer(self, time: int, state: ConnectionState) -> None:
        if len(self._timers) > 2 * self._open + _SPARE_TIMERS:
            # Where the clock stands still or steps back, timers of ended connections do not run out.
            self._timers = [timer for timer in self._timers if timer[2].connection.ended_by is None]
            heapify(self._timers)
        self._timer_number += 1
        heappush(self._timers, (time, self._timer_number, state))
        self.next_timer = self._timers[0][0]

    def run_timers(self, arrival: Arrival) -> None:
        """Do what was put off until the time of a packet that arrives, before it is taken."""
        while self._timers and self._timers[0][0] <= arrival.time:
            _, _, state = heappop(self._timers)
            if state.connection.ended_by is not None:
                continue
            if state.holding:
                self._release(state, arrival)
                self._settle(state, state.order, arrival)
            elif state.closing is not None:
                self._end(state, "fin", arrival)
        self.next_timer = self._timers[0][0] if self._timers else NO_TIMER
