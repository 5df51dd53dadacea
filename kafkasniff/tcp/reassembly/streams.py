# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""One direction of a connection: segments into a stream, with gaps where bytes are proven lost.

Places in a stream are positions: bytes counted without wrap from an arbitrary zero. `Stream.sequence` is the TCP
sequence number of `Stream.position`, the next byte to deliver.
"""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import Connection, StreamConflict, StreamEvent, StreamGap
from kafkasniff.tcp.reassembly.chunks import LATE_NS, Chunk, Delivered, Range, compare_delivered, within
from kafkasniff.tcp.reassembly.hole import Hole
from kafkasniff.tcp.reassembly.memory import Memory
from kafkasniff.tcp.reassembly.out_of_window import take_out_of_window

if not cython.compiled:
    from kafkasniff.tcp.events import new_stream_data
    from kafkasniff.tcp.reassembly.chunks import count_repeat, index_behind, insert, new_delivered
    from kafkasniff.tcp.reassembly.sequence import FARTHEST, LARGEST_LEAP, MASK, NEVER, distance

_NOTED_DIFFERENCES = 1_024
_LATE_NS = LATE_NS


class Stream:
    """One direction of a connection."""

    __slots__ = (
        "_contradicted",
        "_far_ack",
        "_recent",
        "acked",
        "anchored",
        "buffered",
        "certain",
        "connection",
        "counters",
        "direction",
        "fin",
        "fin_arrival",
        "finished",
        "hole",
        "initial",
        "known",
        "memory",
        "origin",
        "out_of_window",
        "pending",
        "position",
        "sequence",
        "stood",
    )

    def __init__(self, connection: Connection, direction: int, memory: Memory) -> None:
        """Begin a stream of which nothing is known."""
        self.connection = connection
        self.direction = direction
        self.counters = connection.counters[direction]
        self.memory = memory
        self.sequence = 0
        self.position = 0
        self.origin = 0
        """Position of the first byte of the stream, or of the first one seen."""
        self.initial = -1
        """Sequence number of the SYN; -1 until it is seen."""
        self.known = False
        """Whether `sequence` is founded on anything."""
        self.anchored = False
        """Whether it is decided where the stream begins."""
        self.certain = False
        """Whether a SYN decided it."""
        self.acked = NEVER
        """Position up to which the peer acknowledged."""
        self.fin = NEVER
        """Position of the FIN."""
        self.fin_arrival: Arrival | None = None
        self.finished = False
        self.stood = NEVER
        """Position of the last empty segment that did not come next."""
        self.pending: list[Chunk] | None = None
        """Chunks that wait, by position, none overlapping."""
        self.buffered = 0
        self._contradicted: list[Range] | None = None
        """Positions in `pending` of which another segment had other bytes."""
        self._recent: list[Delivered] | None = None
        """What was delivered last, in stream order, up to `position` without a break."""
        self.hole: Hole | None = None
        """The hole at `position`, once it is seen."""
        self._far_ack = -1
        self.out_of_window: list[tuple[int, Chunk]] | None = None

    # Where the stream begins

    def refer(self, sequence: int) -> None:
        """Take `sequence` as the next byte for now, of a stream that is not anchored."""
        if self.known:
            self.position += distance(sequence, self.sequence)
        self.sequence = sequence
        self.known = True

    def begin(self, sequence: int, certain: bool) -> None:
        """Set the stream's first byte; what was buffered from before it is dropped."""
        self.refer(sequence)
        self.origin = self.position
        self.anchored = True
        self.certain = certain
        if self.pending is None:
            return
        kept = [chunk for chunk in self.pending if chunk.end > self.position]
        if kept:
            first = kept[0]
            if first.start < self.position:
                kept[0] = first.between(self.position, first.end)
        self._replace_pending(kept)

    def anchor(self) -> None:
        """Decide that the stream begins with the first byte buffered, or behind what the peer acknowledged.

        Of a direction without any packet, or of a connection whose SYN was seen, it begins where its first known
        sequence number or the peer's first acknowledgement stood: what was acknowledged since then was sent since then.
        """
        if not self.known:
            return
        start = self.position
        if self.connection.initiator is not None:
            start = min(start, 0)
            if self.pending:
                first = self.pending[0]
                start = min(start, first.start)
        elif self.pending:
            first = self.pending[0]
            start = first.start
        elif self.counters.packets:
            start = max(start, self.acked)
        self.sequence = (self.sequence + start - self.position) & MASK
        self.position = self.origin = start
        self.anchored = True

    # What arrives

    def take(
        self,
        sequence: int,
        data: bytes,
        length: int,
        arrival: Arrival,
        fragments: tuple[Arrival, ...],
        order: int,
        events: list[StreamEvent],
    ) -> None:
        """Take a segment's payload: deliver its new bytes, or buffer them when others lack before them."""
        if not self.known:
            self.refer(sequence)
        offset = distance(sequence, self.sequence)
        start = self.position + offset
        chunk = Chunk.__new__(Chunk)
        chunk.start = start
        chunk.end = start + length
        chunk.data = data
        chunk.arrival = arrival
        chunk.fragments = fragments
        chunk.order = order
        if not -FARTHEST <= offset <= FARTHEST:
            take_out_of_window(self, sequence, chunk, events)
            return
        self.out_of_window = None
        if length == 1 and self._is_probe(start):
            return
        self._take(chunk, events)

    def stand_at(self, sequence: int) -> None:
        """Take the sequence number of a segment without data."""
        if not self.anchored and not self.pending:
            self.refer(sequence)
        else:
            self.stood = self.position + distance(sequence, self.sequence)

    def acknowledge(self, acknowledgement: int) -> None:
        """Take the peer's word that it received all bytes before `acknowledgement`."""
        if not self.known:
            self.refer(acknowledgement)
        offset = distance(acknowledgement, self.sequence)
        if offset <= 0:
            return
        if offset > FARTHEST:
            advance = FARTHEST if self._far_ack < 0 else distance(acknowledgement, self._far_ack) - 1
            self._far_ack = acknowledgement
            if not 0 <= advance < FARTHEST or offset > LARGEST_LEAP:
                return
        acked = self.position + offset
        if self.fin != NEVER and self.fin < acked:
            acked = self.fin
        self.acked = max(self.acked, acked)

    def end_at(self, sequence: int, arrival: Arrival) -> bool:
        """Note a FIN whose sequence number, behind its data, is `sequence`; tell whether it is plausible."""
        if not self.known:
            self.refer(sequence)
        offset = distance(sequence, self.sequence)
        if self.fin != NEVER or not 0 <= offset <= FARTHEST:
            return self.fin != NEVER
        self.fin, self.fin_arrival = self.position + offset, arrival
        self.acked = min(self.acked, self.fin)
        return True

    def check_end(self) -> None:
        """Note that the stream is finished once all bytes before its FIN were delivered."""
        if self.fin != NEVER and self.fin_arrival is not None and self.anchored and not self.finished:
            if self.position < self.fin:
                return
            self.finished = True
            self._replace_pending(None)

    def at_rest(self) -> bool:
        """Tell whether nothing waits: neither a hole nor an end is to be looked at."""
        if self.pending or self.fin != NEVER or self.hole is not None:
            return False
        return self.position >= self.acked and self.position >= 0

    # What is delivered

    def deliver_first(self, by: Arrival, events: list[StreamEvent]) -> bool:
        """Deliver the first buffered chunk if nothing lacks before it; tell whether there was one."""
        if not self.pending:
            return False
        chunk = self.pending[0]
        if chunk.start > self.position:
            return False
        del self.pending[0]
        self._count_buffered(-chunk.held())
        self.deliver(chunk, by, events)
        return True

    def give_up(self, end: int, by: Arrival, events: list[StreamEvent]) -> None:
        """Give up the bytes from `position` to `end`."""
        length = end - self.position
        self.position = end
        self.sequence = (self.sequence + length) & MASK
        self.report_gap(length, by, False, events)

    # Delivered bytes remembered

    def remember(self, data: bytes | None, length: int, time: int) -> None:
        """Keep what was delivered to compare repeated bytes with: the arguments of `Delivered`."""
        recent = self._recent
        if recent is None:
            recent = self._recent = []
            self.memory.begin(self)
        recent.append(new_delivered(data, length, time))
        # One by one: the memory of the first is that of the next payload.
        while len(recent) > self.memory.most_of_stream:
            recent.pop(0)

    def forget(self) -> None:
        """Forget the delivered bytes."""
        if self._recent is not None:
            self._recent = None
            self.memory.end(self)

    def discard(self) -> None:
        """Let go of all that is held."""
        self.forget()
        self._replace_pending(None)

    # Inside

    def _is_probe(self, start: int) -> bool:
        """Tell whether one byte at `start` is a keep-alive probe (RFC 9293, 3.8.4): the byte may be garbage."""
        if not self.anchored:
            return self.connection.initiator is None and not self.pending and start == self.acked - 1
        return start == self.position - 1 and (self.certain or self.position > self.origin)

    def _take(self, chunk: Chunk, events: list[StreamEvent]) -> None:
        if self.fin != NEVER and chunk.end > self.fin:
            if chunk.start >= self.fin:
                return
            chunk = chunk.between(chunk.start, self.fin)
        if not self.anchored:
            self._buffer(chunk)
            return
        if chunk.start < self.position == self.origin and not self.certain:
            # Nothing was delivered yet, so the stream may still begin earlier.
            self.sequence = (self.sequence + chunk.start - self.position) & MASK
            self.position = self.origin = chunk.start
        late = False
        if chunk.start < self.position:
            late = self._repeat(chunk, events)
            if chunk.end <= self.position:
                return
            chunk = chunk.between(self.position, chunk.end)
        if self.pending or chunk.start > self.position:
            self._buffer(chunk, late)
            self.deliver_pending(self.position, chunk.arrival, events)
        else:
            self.deliver(chunk, chunk.arrival, events)

    def deliver(self, chunk: Chunk, by: Arrival, events: list[StreamEvent]) -> None:
        """Deliver a chunk that begins at `position`, and say how much of it was cut."""
        size, length = len(chunk.data), chunk.end - chunk.start
        self.position = chunk.end
        self.sequence = (self.sequence + length) & MASK
        self.counters.data_bytes += size
        if size:
            event = new_stream_data(self.connection, self.direction, chunk.data, chunk.arrival, by, chunk.fragments)
            if self._contradicted is not None:
                event.contradicted = within(self._contradicted, chunk)
                self._contradicted = [each for each in self._contradicted if each[1] > chunk.end]
            events.append(event)
            self.remember(chunk.data, size, chunk.arrival.time)
        if size < length:
            self.report_gap(length - size, chunk.arrival, True, events)

    def deliver_pending(self, through: int, by: Arrival, events: list[StreamEvent]) -> None:
        """Deliver buffered chunks that begin up to `through`, holes before them as gaps, and what follows at once."""
        pending = self.pending
        if pending is None:
            return
        done, count = 0, len(pending)
        while done < count:
            chunk = pending[done]
            if chunk.start > self.position:
                if chunk.start > through:
                    break
                self.give_up(chunk.start, by, events)
            self._count_buffered(-chunk.held())
            self.deliver(chunk, by, events)
            done += 1
        if done:
            del pending[:done]

    def report_gap(self, length: int | None, by: Arrival, cut: bool, events: list[StreamEvent]) -> None:
        """Tell of bytes that lack before the next one, None where it is not known how many."""
        self.note_gap(-1 if length is None else length, by.time)
        acknowledged = cut or length is None or self.acked > self.position - length
        gap = StreamGap(self.connection, self.direction, length, by, cut, acknowledged)
        events.append(gap)

    def note_gap(self, length: int, time: int) -> None:
        """Count and remember a gap before the next byte, of -1 bytes where it is not known how many lack."""
        self.counters.gaps += 1
        self.counters.gap_bytes += max(length, 0)
        self.remember(None, length, time)

    def _buffer(self, chunk: Chunk, late: bool = False) -> None:
        """Buffer the bytes of a chunk that are not buffered yet; `late`: its segment was counted as sent again."""
        if self.pending is None:
            self.pending = []
        pending, behind = self.pending, None
        if pending:
            last = pending[-1]
            if chunk.start < last.start:
                behind = pending[index_behind(pending, chunk.start)]
        added, repeated, differences = insert(pending, chunk)
        self._count_buffered(added)
        if repeated is not None:
            late |= count_repeat(self.counters, chunk, repeated.arrival.time, bool(differences))
            if differences:
                noted = self._contradicted or []
                self._contradicted = noted + differences[: max(_NOTED_DIFFERENCES - len(noted), 0)]
        if behind is not None and added:
            self.counters.out_of_order += 1
            if not late and chunk.arrival.time - behind.arrival.time > _LATE_NS:
                self.counters.late_retransmissions += 1

    def _repeat(self, chunk: Chunk, events: list[StreamEvent]) -> bool:
        """Compare a chunk with the delivered bytes that it repeats; tell whether it was counted as sent again late."""
        if chunk.end <= self.origin and not self.certain:
            self.memory.counters.before_start += 1
            return False
        first, differences = compare_delivered(chunk, self._recent or (), self.position)
        if differences:
            ranges = tuple((start - self.position, end - self.position) for start, end in sorted(differences))
            events.append(StreamConflict(self.connection, self.direction, ranges, chunk.arrival))
        return count_repeat(self.counters, chunk, first, bool(differences))

    def _count_buffered(self, size: int) -> None:
        self.buffered += size
        self.memory.buffered += size

    def _replace_pending(self, chunks: list[Chunk] | None) -> None:
        if self.pending is None and not chunks:
            return
        held = 0
        for chunk in chunks or ():
            held += chunk.held()
        self._count_buffered(held - self.buffered)
        self.pending = chunks or None
