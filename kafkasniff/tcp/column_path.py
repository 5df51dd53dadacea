"""The column path: large batches into the same events as packet by packet, most packets without plain code.

Columns show which packets of a connection follow each other without anything odd. Such a run is taken at once, at the
turn of its first packet, when the connection's state lets it; every other packet goes the careful way at its turn.
Nothing else can touch a connection between the packets of its run, so that what comes out is the same.
"""

from heapq import heapify, heappop, heapreplace

import numpy as np

from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.chunks import MASK
from kafkasniff.tcp.columns import Numbers, SegmentColumns, endpoint_number, read_columns
from kafkasniff.tcp.connections import ConnectionTable
from kafkasniff.tcp.events import RunSide, StreamEvent, StreamRun
from kafkasniff.tcp.limits import TcpCounters
from kafkasniff.tcp.runs import SHORTEST_RUN, Runs, find_runs
from kafkasniff.tcp.segments import Segment, SegmentReader
from kafkasniff.tcp.state import ConnectionState
from kafkasniff.tcp.timers import NO_TIMER

_HALF = 1 << 31
_RST = 4
_NONE = 1 << 62


class ColumnPath:
    """One batch on its way through the columns."""

    def __init__(
        self, batch: PacketBatch, reader: SegmentReader, counters: TcpCounters, table: ConnectionTable
    ) -> None:
        """Read the headers; `reader` takes apart what is of no common shape."""
        self.places: list[int] = []
        """For each event of the table: twice the index of the packet that brought it, and 1; of a timer's without."""
        self._batch = batch
        self._table = table
        self._counters = counters
        self._columns = columns = read_columns(batch)
        self._segments: dict[int, Segment] = {}
        self._sizes = np.where(columns.common, columns.length, 0)
        captured, original = np.frombuffer(batch.captured, np.int64), np.frombuffer(batch.original, np.int64)
        counters.packets += len(batch)
        counters.cut_packets += int(np.count_nonzero(captured < original))
        for index in np.flatnonzero(~columns.common).tolist():
            self._read_odd(reader, index)
        found = columns.common.copy()
        found[list(self._segments)] = True
        self._rows = np.flatnonzero(found)
        self._times = np.frombuffer(batch.times, np.int64)[self._rows]
        self._times_rise = bool((self._times[1:] >= self._times[:-1]).all())
        counters.segments += len(self._rows)

    def take(self) -> list[StreamEvent]:
        """Give what the batch brings."""
        sizes = np.cumsum(self._sizes[self._rows])
        room, limit = self._table.memory.room, self._table.memory.limits.remembered
        start, counted, total = 0, 0, int(sizes[-1]) if len(sizes) else 0
        if total > 4 * limit or self._table.may_evict(len(self._rows)):
            for index in self._rows.tolist():
                self._receive(index)
            return self._table.events
        while total - counted > room:
            # Delivered bytes are forgotten at the next packet, which must not lie within a run.
            end = int(np.searchsorted(sizes, counted + room, side="right"))
            self._take_rows(start, end)
            start, counted, room = end, int(sizes[end - 1]) if end else 0, limit
        self._take_rows(start, len(self._rows))
        return self._table.events

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
        runs = find_runs(self._columns, self._batch.data, rows)
        in_runs = np.zeros(len(self._batch), np.bool_)
        for first, last in zip(runs.starts.tolist(), runs.ends.tolist(), strict=True):
            in_runs[runs.rows[first:last]] = True
        singles = iter(rows[~in_runs[rows]].tolist())
        heads = list(zip(runs.rows[runs.starts].tolist(), runs.starts.tolist(), runs.ends.tolist(), strict=True))
        heapify(heads)
        end = int(rows[-1]) + 1
        single, head = next(singles, end), heads[0][0] if heads else end
        row, timer, due = 0, NO_TIMER, end
        while True:
            if self._table.timers.next != timer:
                timer = self._table.timers.next
                due = self._due(timer, start, row)
            following = min(single, head)
            if due < min(following + (head == following), end):
                self._table.run_timers(self._batch.arrival(due))
                self._note_place(2 * due)
                row = due + 1
            elif following == end:
                return
            elif single < head:
                self._receive(single)
                row, single = single + 1, next(singles, end)
            else:
                _, first, last = heads[0]
                if last - first >= SHORTEST_RUN and self._take_run(runs, first, last):
                    heappop(heads)
                else:
                    self._receive(head)
                    row = head + 1
                    if first + 1 < last:
                        heapreplace(heads, (int(runs.rows[first + 1]), first + 1, last))
                    else:
                        heappop(heads)
                head = heads[0][0] if heads else end

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

    def _note_place(self, place: int) -> None:
        self.places += [place] * (len(self._table.events) - len(self.places))

    def _receive(self, index: int) -> None:
        """Take one packet the careful way."""
        table, arrival = self._table, self._batch.arrival(index)
        segment = self._segments.get(index)
        if segment is not None:
            key, tunnel, sequence, acknowledgement, flags, data, length, fragments, window = segment
            table.receive(key, sequence, acknowledgement, flags, data, length, arrival, tunnel, fragments)
        else:
            columns = self._columns
            key, flags, window = self._key(index), columns.flags.item(index), columns.window.item(index)
            payload, length = columns.payload.item(index), columns.length.item(index)
            data = self._batch.data[payload : payload + length]
            sequence, acknowledgement = columns.sequence.item(index), columns.acknowledgement.item(index)
            table.receive(key, sequence, acknowledgement, flags, data, length, arrival)
        if not window and not flags & _RST:
            table.note_zero_window(key)
        self._note_place(2 * index + 1)

    def _take_run(self, runs: Runs, first: int, last: int) -> bool:
        """Take the run at `first` to `last` of the sorted rows, if its connection's state lets it."""
        rows, columns = runs.rows[first:last], self._columns
        key = self._key(rows.item(0))
        state = self._table.orderly(key)
        if state is None:
            return False
        direction = int(key != state.key)
        second = runs.source_larger[first:last] != runs.source_larger[first]
        turn = int(np.argmax(second)) if second.any() else len(rows)
        own, peer = state.streams[direction], state.streams[1 - direction]
        if columns.sequence.item(rows.item(0)) != own.sequence:
            return False
        if turn < len(rows):
            head = rows.item(turn)
            if columns.sequence.item(head) != peer.sequence or self._table.orderly(self._key(head)) is not state:
                return False
        if not ((peer.sequence - columns.acknowledgement[rows[:turn]]) & MASK < _HALF).all():
            return False
        sides = (rows[~second], rows[second]) if direction == 0 else (rows[second], rows[~second])
        self._deliver(state, sides, rows.item(-1))
        self._note_place(2 * rows.item(0) + 1)
        return True

    def _key(self, index: int) -> bytes:
        key_at = self._columns.key_at.item(index)
        return self._batch.data[key_at : key_at + self._columns.key_length.item(index)]

    def _deliver(self, state: ConnectionState, sides: tuple[Numbers, Numbers], last: int) -> None:
        """Let the segments of both directions pass through a connection's streams; `last` is the last packet."""
        first_side, second_side = (_side(self._columns, side) for side in sides)
        run = StreamRun(state.connection, self._batch, (first_side, second_side), self._times_rise)
        state.connection.last = self._batch.arrival(last)
        for stream, rows, side in zip(state.streams, sides, run.sides, strict=True):
            stream.counters.packets += len(rows)
            self._table.memory.arrive(side.ends[-1] if side.ends else 0)
            stream.advance(run)
        if first_side.ends or second_side.ends:
            self._table.events.append(run)


def _side(columns: SegmentColumns, rows: Numbers) -> RunSide:
    lengths = columns.length[rows]
    if not lengths.all():
        rows, lengths = rows[lengths > 0], lengths[lengths > 0]
    ends = np.cumsum(lengths)
    return RunSide(rows.tolist(), ends.tolist(), (columns.payload[rows] + lengths - ends).tolist())
