# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What a segment does to its connection (RFC 9293, 3.10.7), as its receiver sees it."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Receiver, StreamEvent
from kafkasniff.tcp.limits import TcpCounters, TcpLimits
from kafkasniff.tcp.packets.segments import ACK, FIN, RST, SYN, Segment
from kafkasniff.tcp.reassembly.connections import ConnectionTable
from kafkasniff.tcp.reassembly.flow_keys import FlowKey
from kafkasniff.tcp.reassembly.half_open import HalfOpen
from kafkasniff.tcp.reassembly.holes import relieve
from kafkasniff.tcp.reassembly.state import ConnectionState
from kafkasniff.tcp.reassembly.streams import Stream

if not cython.compiled:
    from kafkasniff.octets import big32, part
    from kafkasniff.tcp.reassembly.ended import remembered
    from kafkasniff.tcp.reassembly.holes import look_at
    from kafkasniff.tcp.reassembly.sequence import FARTHEST, HALF, MASK, NEVER, distance
    from kafkasniff.tcp.reassembly.state import is_first

_FIN, _SYN, _RST, _ACK = FIN, SYN, RST, ACK
_CONTROLS = FIN | SYN | RST | ACK
_FAST_OPEN_DATA = 65_535


class SegmentProcessor:
    """Takes segments one by one. What happens is appended to `events`, or goes to the receiver at once."""

    __slots__ = (
        "_counters",
        "_holes",
        "_limits",
        "_memory",
        "_receiver",
        "_reordering",
        "_table",
        "_timers",
        "events",
    )

    def __init__(self, table: ConnectionTable, limits: TcpLimits, counters: TcpCounters, receiver: Receiver) -> None:
        """Take segments of the connections in `table`."""
        self.events: list[StreamEvent] = []
        self._table = table
        self._memory, self._timers, self._holes = table.memory, table.timers, table.holes
        self._limits = limits
        self._counters = counters
        self._receiver = receiver
        self._reordering = limits.reordering_packets

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
        if arrival.time >= self._timers.next:
            self.run_timers(arrival)
        found = self._table.find(key)
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
        if arrival.time >= self._timers.next:
            self.run_timers(arrival)
        source, destination, ports = big32(view, ip + 12), big32(view, ip + 16), big32(view, ip + 20)
        sequence, acknowledgement = big32(view, ip + 24), big32(view, ip + 28)
        table = self._table
        slot = table.slot(source, destination, ports)
        state = table.recent[slot]
        is_known = second = False
        if state is not None:
            is_known = ports == state.ports and source == state.source and destination == state.destination
            if not is_known:
                second = ports == state.ports_back and source == state.destination and destination == state.source
        if not is_known and not second:
            key: FlowKey = part(data, ip + 12, ip + 24)
            found = table.find(key)
            if type(found) is not ConnectionState:
                self._take(
                    found, key, sequence, acknowledgement, flags, data, payload, captured, length, arrival, (), ()
                )
                return
            state = table.recent[slot] = found
            second = found.is_second(key)
        assert state is not None
        if not self._take_next(
            state, second, sequence, acknowledgement, flags, data, payload, captured, length, arrival
        ):
            key = state.other if second else state.key
            self._take(state, key, sequence, acknowledgement, flags, data, payload, captured, length, arrival, (), ())

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
        if state.careful or flags & _CONTROLS != _ACK or captured < min(length, 1):
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
        memory = self._memory
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
        opens = flags & _CONTROLS == _SYN and not length and not isinstance(found, ConnectionState)
        if opens and self._table.take_syn(found, key, sequence, arrival, tunnel):
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
        found = self._table.find(key)
        if isinstance(found, HalfOpen):
            if key == found.key:
                found.zero_windows += closed
                found.mss = mss or found.mss
        elif found is not None:
            state = found
            counters = state.second.counters if state.is_second(key) else state.first.counters
            counters.zero_windows += closed
            counters.mss = mss or counters.mss

    # One segment

    def _receive(self, found: ConnectionState | HalfOpen | None, segment: Segment, arrival: Arrival) -> None:
        table = self._table
        if isinstance(found, ConnectionState):
            state: ConnectionState | None = found
        else:
            state = table.find_or_start(found, segment, arrival)
        if state is not None and state.challenge is not None and state.challenge.is_accepted(state, segment):
            challenge = state.challenge
            state = table.replace(state, challenge.segment, challenge.arrival)
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
            replaced = table.replaced.get(state.name)
            before = table.ended.get(state.name) if replaced is None else remembered(replaced[0])
            if before is not None and before.has_rather_than(stream, peer, segment, arrival.time):
                if replaced is None:
                    self._counters.after_end += 1
                    return
                state = replaced[0]
                second = state.is_second(segment.key)
                stream, peer = (state.second, state.first) if second else (state.first, state.second)
            elif replaced is not None and state.order() >= self._reordering:
                table.end_replaced(state.name)
        state.connection.last = arrival
        stream.counters.packets += 1
        if len(segment.data) < segment.length:
            stream.counters.cut_packets += 1
        order = state.order()
        if state.half_open and segment.flags & (_SYN | _ACK) != _SYN:
            table.complete(state)
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
            self._timers.set(arrival.time + self._limits.start_ns, state, self._table.open_count)
        if stream.buffered > self._limits.buffered_per_direction:
            self._counters.reach("hole closed: too many bytes of a connection waited behind it")
            relieve(stream, arrival, self.events)

    def _settle(self, state: ConnectionState, order: int, arrival: Arrival) -> None:
        """Do what follows from a segment: release, close holes, end."""
        connection, first, second = state.connection, state.first, state.second
        if state.holding:
            decided = first.anchored and second.anchored and connection.round_trip_ns is not None
            full = self._memory.buffered > self._memory.most_buffered
            if full:
                self._counters.reach("beginning of a connection taken as it came: too many bytes waited for others")
            if decided or full or order >= self._reordering:
                state.release(arrival, self.events)
        look_at(first, second, order, arrival, self.events)
        look_at(second, first, order, arrival, self.events)
        if first.finished and second.finished:
            self._table.end(state, "fin", arrival)
            return
        if state.closing < 0 and NEVER not in (first.fin, second.fin):
            self._table.close_later(state, order, arrival)
        if state.closing >= 0 and order - state.closing >= self._reordering:
            self._table.end(state, "fin", arrival)
            return
        if state.challenge is not None and state.outlives_challenge(self._reordering):
            self._counters.implausible += 1
        holes = first.hole is not None or second.hole is not None
        if holes:
            self._holes.add(state)
            if self._memory.buffered > self._memory.most_buffered:
                self._holes.relieve(arrival, self.events)
        elif state.has_holes:
            self._holes.discard(state)
        state.note_care(holes)

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
            state = self._table.replace(state, segment, arrival)
            second = False
        state.synchronise(second, segment, arrival)
        replaced = self._table.replaced.get(state.name)
        if replaced is not None:
            state.take_out_of_window_of(replaced[0], self.events)
        return state

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
            self._table.end(state, "rst", arrival)
        elif state.closing < 0:
            self._table.close_later(state, state.order(), arrival)

    # Time

    def tick(self, now: int) -> None:
        """Do what is put off until a time that has come; all packets up to `now`, in ns since 1970, were taken."""
        while now >= self._timers.next:
            # One by one, so that what each brings names its own connection's last packet.
            self.run_timers(self._timers.first().connection.last.at(self._timers.next))
        for state, by in self._holes.close_old(now, self.events):
            self._settle(state, state.order(), by)

    def run_timers(self, arrival: Arrival) -> None:
        """Do what was put off until the time of a packet that arrives, before it is taken."""
        table = self._table
        while (state := self._timers.take(arrival.time)) is not None:
            if state.holding:
                state.release(arrival, self.events)
                self._settle(state, state.order(), arrival)
            elif state.closing >= 0:
                replaced = table.replaced.get(state.name)
                if replaced is not None and replaced[0] is state:
                    table.end_replaced(state.name)
                else:
                    table.end(state, "fin", arrival)
