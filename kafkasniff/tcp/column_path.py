"""The column path: large batches into the same events as packet by packet, most packets without plain code.

Columns show the stretches of a connection in which no packet is unusual, and which packets of them come out of order.
As much of a stretch as is understood is taken at once, at the turn of its first packet, when the connection's state
lets it; every other packet goes the careful way at its turn. Nothing else can touch a connection between the packets
of its stretch, so that what comes out is the same.
"""

from bisect import bisect_left
from collections.abc import Iterator
from heapq import heapify, heappop, heapreplace

import numpy as np

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp import lives
from kafkasniff.tcp.columns import Numbers, endpoint_number, read_columns, selection
from kafkasniff.tcp.connections import ConnectionTable
from kafkasniff.tcp.ended import Ended
from kafkasniff.tcp.events import StreamEvent
from kafkasniff.tcp.limits import TcpCounters
from kafkasniff.tcp.lives import Lives, count_beginnings, find_lives
from kafkasniff.tcp.passage import Course, Passage
from kafkasniff.tcp.payloads import find_payloads
from kafkasniff.tcp.runs import SHORTEST_RUN, Stretches, find_stretches
from kafkasniff.tcp.segments import FlowKey, Segment, SegmentReader, reverse
from kafkasniff.tcp.timers import NO_TIMER

_RST = 4
_PATIENCE = 64
"""Rows behind one that is not understood among which nothing is tried on a connection with holes."""
_NONE = 1 << 62
_Headers = tuple[int, int, int, int, int, int, int, int, int]
"""Of a packet: its index, beginning and end of the key in the buffer, sequence and acknowledgement number, flags,
window, position of the payload in the buffer, bytes of it."""
_NO_HEADERS = (0,) * 8
_MOST_HELD = 512
"""Bytes of memory that a payload takes while it waits, beside its contents, at most."""


class ColumnPath:
    """One batch on its way through the columns."""

    def __init__(
        self, batch: PacketBatch, reader: SegmentReader, counters: TcpCounters, table: ConnectionTable
    ) -> None:
        """Read the headers; `reader` takes apart what is of no common shape."""
        self.places: list[int] = []
        """For each event of the table: twice the index of the packet that brought it, and 1; of a timer's without. Of
        a run it is the first packet; of a gap that disorder brought, and a run behind it, 1 more than that."""
        self.lives: list[Lives] = []
        self._batch = batch
        self._table = table
        self._counters = counters
        self._turn = counters.packets
        """That of the first packet; see `OpenHoles.turn`."""
        self._refused: dict[int, int] = {}
        """By stretch of a connection with holes: the row up to which it is not tried, as one was not understood."""
        self._columns = columns = read_columns(batch)
        self._segments: dict[int, Segment] = {}
        self._sizes = columns.length if columns.common.all() else np.where(columns.common, columns.length, 0)
        captured, original = np.frombuffer(batch.captured, np.int64), np.frombuffer(batch.original, np.int64)
        counters.packets += len(batch)
        counters.cut_packets += int(np.count_nonzero(captured < original))
        for index in np.flatnonzero(~columns.common).tolist():
            self._read_odd(reader, index)
        found = columns.common.copy()
        found[list(self._segments)] = True
        self._rows = np.flatnonzero(found)
        self._all_times = np.frombuffer(batch.times, np.int64)
        self._times = self._all_times[selection(self._rows)]
        self._times_rise = bool((self._times[1:] >= self._times[:-1]).all())
        counters.segments += len(self._rows)

    def take(self) -> list[StreamEvent]:
        """Give what the batch brings."""
        sizes = np.cumsum(self._sizes[selection(self._rows)])
        memory = self._table.memory
        total = int(sizes[-1]) if len(sizes) else 0
        # Where bytes might have to be let go, it depends on all connections which.
        most = memory.buffered + total + _MOST_HELD * len(self._rows)
        self._course = Course(
            self._batch,
            self._table,
            self._columns.payload,
            self._all_times,
            self._times_rise,
            self._turn,
            most <= min(memory.limits.buffered_in_all, memory.limits.buffered_per_direction),
            self.places,
        )
        if total > 4 * memory.limits.remembered or self._table.may_evict(len(self._rows)):
            for headers in self._headers(self._rows):
                self._receive(headers)
            return self._table.events
        start = 0
        for row in list(self._forgetting(sizes, total)):
            self._take_rows(start, row)
            self._take_rows(row, row + 1)
            start = row + 1
        self._take_rows(start, len(self._rows))
        self._table.holes.put_into_order()
        return self._in_order(self._table.events)

    def _forgetting(self, sizes: Numbers, total: int) -> Iterator[int]:
        """Give the rows with which delivered bytes are forgotten: none may lie within a run or a life.

        `sizes` are sums of the payloads up to each row.
        """
        memory = self._table.memory
        counted, room, row = 0, memory.room, -1
        while total - counted > room:
            row = max(int(np.searchsorted(sizes, counted + room, side="right")), row + 1)
            yield row
            counted, room = int(sizes[row - 1]) if row else 0, memory.limits.remembered

    def _in_order(self, events: list[StreamEvent]) -> list[StreamEvent]:
        """Give the events by place: what disorder brought was noted at the turn of its first packet."""
        order = sorted(range(len(events)), key=self.places.__getitem__)
        self.places.sort()
        return [events[index] for index in order]

    def _read_odd(self, reader: SegmentReader, index: int) -> None:
        """Read a packet of no common shape; note its segment, if there is one."""
        batch, columns = self._batch, self._columns
        arrival = batch.arrival(index)
        segment = reader.read(batch.data, batch.offsets[index], batch.captured[index], batch.original[index], arrival)
        if segment is None:
            return
        self._segments[index] = segment
        self._sizes[index] = len(segment.data)
        if isinstance(segment.key, bytes):
            # Packets of common shapes may belong to the same connection.
            width = (len(segment.key) - 4) // 2
            columns.source[index] = endpoint_number(segment.key[:width], segment.key[-4:-2])
            columns.destination[index] = endpoint_number(segment.key[width:-4], segment.key[-2:])
            columns.key_length[index] = len(segment.key)
            columns.sequence[index] = segment.sequence
            columns.length[index] = segment.length
            columns.flags[index] = segment.flags

    def _take_rows(self, start: int, end: int) -> None:
        """Take the packets at `start` to `end` of `_rows`, in their order but for the later packets of runs."""
        rows = self._rows[start:end]
        if not len(rows):
            return
        end = int(rows[-1]) + 1
        rows, life_ends, ended = self._take_lives(rows)
        lives_ended = 0
        stretches = find_stretches(self._columns, self._batch.data, rows)
        self._refused.clear()
        self._payloads = find_payloads(stretches, self._columns.payload)
        in_stretches = np.zeros(len(self._batch), np.bool_)
        in_stretches[stretches.rows] = True
        singles = self._headers(rows[~in_stretches[rows]])
        packets = map(stretches.rows.item, stretches.starts)
        heads = [*zip(packets, stretches.starts, stretches.ends, range(len(stretches.starts)), strict=True)]
        heapify(heads)
        last_single = (end, *_NO_HEADERS)
        single, head = next(singles, last_single), heads[0][0] if heads else end
        row, timer, due, timers = 0, NO_TIMER, end, self._table.timers
        while True:
            if timers.next != timer:
                timer = timers.next
                due = self._due(timer, start, row)
            index = single[0]
            following = index if index < head else head
            if lives_ended < len(ended) and life_ends[lives_ended] < min(following, due):
                before, lives_ended = lives_ended, bisect_left(life_ends, min(following, due))
                self._table.ended.update(ended[before:lives_ended])
            if due < min(following + (head == following), end):
                self._table.holes.turn = self._turn + due
                self._table.run_timers(self._batch.arrival(due))
                self._note_place(2 * due)
                row = due + 1
            elif following == end:
                return
            elif index < head:
                self._receive(single)
                row, single = index + 1, next(singles, last_single)
            else:
                _, first, last, number = heads[0]
                taken = self._take_stretch(stretches, number, first, last)
                if taken == first:
                    self._receive(self._header(head))
                    row, taken = head + 1, first + 1
                if taken < last:
                    heapreplace(heads, (stretches.rows.item(taken), taken, last, number))
                else:
                    heappop(heads)
                head = heads[0][0] if heads else end

    def _take_lives(self, rows: Numbers) -> tuple[Numbers, list[int], list[tuple[bytes, Ended]]]:
        """Take the connections that begin and end among `rows`, if nothing else can touch them.

        Gives the other rows, the packets that ended connections, and what is to be remembered of these.
        """
        table, columns = self._table, self._columns
        beginnings = count_beginnings(columns, rows)
        if beginnings < lives.FEWEST or not self._times_rise or not self._course.may_wait:
            return rows, [], []
        if table.may_forget(len(rows), beginnings + len(self._segments)):
            return rows, [], []
        found, packets, of = find_lives(columns, self._batch, rows)
        new = np.array(table.are_new(found.keys), np.bool_)
        if not new.all():
            found, packets = found.where(new), packets[new[of]]
        if not len(found):
            return rows, [], []
        self.lives.append(found)
        table.memory.arrive(int(found.data_bytes.sum()))
        self._counters.connections += len(found)
        self._counters.after_end += int(found.late.sum())
        taken = np.zeros(len(self._batch), np.bool_)
        taken[packets] = True
        return rows[~taken[rows]], found.ends.tolist(), found.remembered()

    def _due(self, timer: int, start: int, row: int) -> int:
        """Give the packet at which a timer goes off: the first from packet `row` on that came at its time or later."""
        if timer == NO_TIMER:
            return _NONE
        begin = max(start, int(np.searchsorted(self._rows, row)))
        if self._times_rise:
            place = max(begin, int(np.searchsorted(self._times, timer)))
        else:
            late = self._times[begin:] >= timer
            place = begin + int(np.argmax(late)) if late.any() else len(self._rows)
        return int(self._rows[place]) if place < len(self._rows) else _NONE

    def _headers(self, rows: Numbers) -> Iterator[_Headers]:
        """Give what is needed of packets to take them one by one."""
        columns = self._columns
        key_at, payload, length = columns.key_at[rows], columns.payload[rows], columns.length[rows]
        fields = (
            key_at,
            key_at + columns.key_length[rows],
            columns.sequence[rows],
            columns.acknowledgement[rows],
            columns.flags[rows],
            columns.window[rows],
            payload,
            length,
        )
        return zip(rows.tolist(), *(field.tolist() for field in fields), strict=True)

    def _header(self, index: int) -> _Headers:
        """Give the same of one packet."""
        columns = self._columns
        key_at = columns.key_at.item(index)
        return (
            index,
            key_at,
            key_at + columns.key_length.item(index),
            columns.sequence.item(index),
            columns.acknowledgement.item(index),
            columns.flags.item(index),
            columns.window.item(index),
            columns.payload.item(index),
            columns.length.item(index),
        )

    def _note_place(self, place: int) -> None:
        new = len(self._table.events) - len(self.places)
        if new:
            self.places += [place] * new

    def _receive(self, headers: _Headers) -> None:
        """Take one packet the careful way."""
        index, key_at, key_end, sequence, acknowledgement, flags, window, payload, length = headers
        table, arrival, data = self._table, self._batch.arrival(index), self._batch.data
        table.holes.turn = self._turn + index
        segment = self._segments.get(index)
        if segment is None:
            key: FlowKey = data[key_at:key_end]
            table.receive(key, sequence, acknowledgement, flags, data[payload : payload + length], length, arrival)
        else:
            key, tunnel, sequence, acknowledgement, flags, part, length, fragments, window = segment
            table.receive(key, sequence, acknowledgement, flags, part, length, arrival, tunnel, fragments)
        if not window and not flags & _RST:
            table.note_zero_window(key)
        self._note_place(2 * index + 1)

    def _take_stretch(self, stretches: Stretches, number: int, first: int, end: int) -> int:
        """Take as many of the rows `first` to `end` of a stretch as its connection's state lets it.

        Give the first row that was not taken.
        """
        odd = stretches.odd
        place = bisect_left(odd, first)
        if min(odd[place] if place < len(odd) else end, end) - first < SHORTEST_RUN:
            return first
        key = self._key(stretches.rows.item(first))
        holes = first > self._refused.get(number, -1)
        state = self._table.orderly(key, holes=holes)
        if state is None:
            return first
        if stretches.both_ways[number] and self._table.orderly(reverse(key), holes=holes) is not state:
            return first
        side = int(stretches.larger.item(first)) ^ (key != state.key)
        passage = Passage(self._course, stretches, self._payloads, number, first, state, side)
        taken = passage.take(end, place) if passage.may_begin() else first
        if taken == first and state.careful:
            self._refused[number] = passage.refused + _PATIENCE
        return taken

    def _key(self, index: int) -> bytes:
        key_at = self._columns.key_at.item(index)
        return self._batch.data[key_at : key_at + self._columns.key_length.item(index)]
