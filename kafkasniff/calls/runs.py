"""Runs of segments in order: cut into frames without plain code for each segment, as long as nothing is odd."""

from bisect import bisect_left, bisect_right
from operator import sub

from kafkasniff.calls.authentication import RawToken
from kafkasniff.calls.call import Call, Frame, Gap
from kafkasniff.calls.columns.talks import Talk, is_plain, is_small
from kafkasniff.calls.conversation import Conversation
from kafkasniff.calls.encrypted import EncryptedConversation
from kafkasniff.calls.frames import SIZE_PREFIX, FrameCutter
from kafkasniff.tcp.events import StreamData, StreamRun

FEWEST_SEGMENTS = 64
"""What must be left of a run to be worth columns."""
NEVER = 1 << 62
"""Later than every packet."""


class RunTaker:
    """Hands a run to its conversation step by step: a frame where nothing is odd, else a segment."""

    __slots__ = ("_conversation", "_may_leave", "_reader", "_sides", "packet")

    def __init__(self, run: StreamRun, conversation: Conversation | EncryptedConversation) -> None:
        """Stand before the first segment."""
        self._conversation = conversation
        self._reader = RunReader(run)
        self._sides: tuple[SideCutter, SideCutter] | None = None
        self._may_leave = run.times_rise and run.in_order and is_small(run)
        self.packet = NEVER
        """The packet of the next step by its index in the batch; `NEVER` at the end."""
        self._look()

    def step(self) -> list[Call | Gap | RawToken]:
        """Take the next frame or segment; give what ended with it."""
        if self._sides is None:
            found = self._conversation.take(self._reader.read())
            self._look()
            return found
        kafka = self._conversation.kafka
        assert kafka is not None
        direction = 0 if self._sides[0].packet < self._sides[1].packet else 1
        side = self._sides[direction]
        at_end, stop = side.packet == NEVER, side.stop
        if at_end or not (side.whole and kafka.take_frame(direction, side.cut())):
            side.push_until(self.packet, stop)
            self._sides[1 - direction].push_until(self.packet)
            for each_direction in (direction, 1 - direction):
                kafka.drain(each_direction)
            if at_end or kafka.orderly_cutters is None:
                self._sides = None
            else:
                for each in self._sides:
                    each.look()
        self._look()
        return list(kafka.take_calls())

    def rest(self) -> Talk | None:
        """Give what is left of the run if it may go by columns; if it does so, nothing more is to be taken here."""
        conversation, sides = self._conversation, self._sides
        if not self._may_leave or sides is None or not isinstance(conversation, Conversation):
            return None
        if sides[0].segments_left + sides[1].segments_left < FEWEST_SEGMENTS or not is_plain(conversation):
            return None
        first, second = sides
        return Talk(self._reader.run, conversation, (first.at, second.at), (first.pushed, second.pushed))

    def stay(self) -> None:
        """Never offer the rest again: columns refused it."""
        self._may_leave = False

    def _look(self) -> None:
        """Find the next step."""
        if self._sides is None:
            self.packet = self._reader.packet
            conversation = self._conversation
            if self.packet == NEVER or not self._reader.run.times_rise or not isinstance(conversation, Conversation):
                return
            if (cutters := conversation.cutters_for_run) is None:
                return
            for direction in (0, 1):
                if (event := self._reader.peek(direction)) is not None:
                    conversation.note_start(event)
            self._sides = (SideCutter(self._reader, 0, cutters[0]), SideCutter(self._reader, 1, cutters[1]))
        self.packet = min(self._sides[0].packet, self._sides[1].packet)
        if self.packet == NEVER:
            self.packet = self._reader.last_packet


class RunReader:
    """A run, and how far it was read."""

    __slots__ = ("indexes", "last_packet", "run")

    def __init__(self, run: StreamRun) -> None:
        """Stand before the first segment."""
        self.run = run
        self.indexes = [0, 0]
        """By direction: the next segment."""
        self.last_packet = max(side.delivered_by[-1] for side in run.sides if side.packets)

    @property
    def packet(self) -> int:
        """Give the packet of the next segment by its index in the batch, `NEVER` at the end."""
        return min(self._packet(0), self._packet(1))

    def read(self) -> StreamData:
        """Give the next segment."""
        direction = 0 if self._packet(0) < self._packet(1) else 1
        index = self.indexes[direction]
        self.indexes[direction] = index + 1
        return self.run.data(direction, index)

    def peek(self, direction: int) -> StreamData | None:
        """Give the next segment of a direction without going on."""
        return self.run.data(direction, self.indexes[direction]) if self._packet(direction) != NEVER else None

    def _packet(self, direction: int) -> int:
        packets, index = self.run.sides[direction].delivered_by, self.indexes[direction]
        return packets[index] if index < len(packets) else NEVER


class SideCutter:
    """Cuts one direction of a run into frames, in place of pushing its segments into the direction's cutter."""

    __slots__ = (
        "_at",
        "_begun",
        "_cutter",
        "_data",
        "_delivered_by",
        "_direction",
        "_end",
        "_ends",
        "_first",
        "_index",
        "_last",
        "_packets",
        "_reader",
        "_shifts",
        "_total",
        "_whole_limit",
        "packet",
        "stop",
        "whole",
    )

    def __init__(self, reader: RunReader, direction: int, cutter: FrameCutter) -> None:
        """Go on where `reader` and `cutter` stand."""
        self._reader = reader
        self._cutter = cutter
        self._direction = direction
        self._data = reader.run.batch.data
        self._packets, self._ends, self._shifts, self._delivered_by = reader.run.sides[direction]
        self._total = self._ends[-1] if self._ends else 0
        self._whole_limit = cutter.whole_limit
        self._first = self._index = reader.indexes[direction]
        self._at = self._ends[self._first - 1] if self._first else 0
        """Bytes from the run's beginning to the next one to be cut, which lies in the segment `_index`."""
        self._end = 0
        """Behind the next whole frame, whose last byte lies in the segment `_last`."""
        self._last = 0
        self._begun = False
        """Whether the beginning of the next frame was pushed into the cutter."""
        self.whole = False
        """Whether the next frame is whole; if not, the next segment must be pushed."""
        self.packet = NEVER
        """The packet that brings the next frame's end, or lets the next segment be pushed; `NEVER` when there is
        neither."""
        self.stop = 0
        """Behind the segment with that end, or the one to be pushed: that packet may have brought more of them."""
        self.look()

    @property
    def at(self) -> int:
        """Give how many bytes of the run were cut or pushed."""
        return self._at

    @property
    def pushed(self) -> int:
        """Give how many segments the cutter knows of."""
        return self._first

    @property
    def segments_left(self) -> int:
        """Give how many segments are still to be cut."""
        return len(self._ends) - self._index

    def cut(self) -> Frame:
        """Give the next frame, which must be whole."""
        at, end, index, batch = self._at, self._end, self._index, self._reader.run.batch
        # Completed by the latest packet, which need not be the last in the stream.
        packets, latest = self._packets, self._packets[self._last]
        last = batch.arrival(latest if packets is self._delivered_by else max(packets[index : self._last + 1]))
        if self._begun:
            frame = self._cutter.complete(b"" if self._cutter.passes else self._read(at, end), last)
        elif index == self._last:
            shift = self._shifts[index]
            frame = self._cutter.cut_whole(self._data[at + SIZE_PREFIX + shift : end + shift], last, last)
        else:
            first = batch.arrival(self._packets[index])
            frame = self._cutter.cut_whole(self._read(at + SIZE_PREFIX, end), first, last)
        self._at, self._index = end, self._last
        self.look()
        return frame

    def push_until(self, packet: int, stop: int = NEVER) -> None:
        """Push what was not cut of the segments up to `packet` and before `stop`; in the last at most a frame ends."""
        ends, first = self._ends, self._first
        stop = min(bisect_right(self._delivered_by, packet), stop)
        if stop > first:
            self._push(stop)
            begins = (ends[first - 1] if first else 0, *ends[first : stop - 1])
            self._cutter.note_segments([*map(sub, ends[first:stop], begins)])
            self._reader.indexes[self._direction] = self._first = stop

    def _push(self, stop: int) -> None:
        cutter, ends, run = self._cutter, self._ends, self._reader.run
        index = bisect_right(ends, self._at)
        while index < stop:
            last = stop - 1
            if cutter.missing and index < last - 1:
                # Of a frame under way only the latest packet counts; it may end in the last segment.
                rest = self._read(self._at, ends[last - 1])
                latest = max(range(index, last), key=self._packets.__getitem__)
                cutter.add(run.data(self._direction, latest)._replace(data=rest))
                index = last
            else:
                event = run.data(self._direction, index)
                cutter.add(event, self._at - ends[index] + len(event.data))
                index += 1
            self._at, self._index = ends[index - 1], index - 1
            if index < stop and cutter.aligned:
                cutter.next_frame()

    def look(self) -> None:
        """Find the next frame's end."""
        self.packet, self.whole, self.stop = NEVER, False, len(self._packets)
        at, ends, index = self._at, self._ends, self._index
        if at == self._total:
            return
        while ends[index] <= at:
            index += 1
        self._index = index
        missing = self._cutter.missing
        if missing is not None:
            self._begun = missing > 0
            if not missing:
                if ends[index] >= at + SIZE_PREFIX:
                    start = at + self._shifts[index]
                    prefix = self._data[start : start + SIZE_PREFIX]
                elif self._total >= at + SIZE_PREFIX:
                    prefix = self._read(at, at + SIZE_PREFIX)
                else:
                    return
                size = int.from_bytes(prefix, "big", signed=True)
                missing = SIZE_PREFIX + size if 0 <= size <= self._whole_limit else None
            if missing is not None:
                end = self._end = at + missing
                if end <= self._total:
                    last = self._last = index if end <= ends[index] else bisect_left(ends, end, index)
                    self.packet, self.whole, self.stop = self._delivered_by[last], True, last + 1
                return
        self.packet, self.stop = self._delivered_by[index], index + 1

    def _read(self, start: int, end: int) -> bytes:
        """Give the bytes from `start` to `end`, counted from the run's beginning."""
        ends, shifts = self._ends, self._shifts
        first = bisect_right(ends, start)
        if start == end:
            return b""
        if end <= ends[first]:
            return self._data[start + shifts[first] : end + shifts[first]]
        last = bisect_left(ends, end, first)
        # Views: each byte is copied once.
        data = memoryview(self._data)
        parts = [data[start + shifts[first] : ends[first] + shifts[first]]]
        whole = zip(ends[first:last], ends[first + 1 : last], shifts[first + 1 : last], strict=False)
        parts += [data[begin + shift : stop + shift] for begin, stop, shift in whole]
        parts.append(data[ends[last - 1] + shifts[last] : end + shifts[last]])
        return b"".join(parts)
