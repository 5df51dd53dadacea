"""Runs of segments in order: cut into frames without plain code for each segment, as long as nothing is odd."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from kafkasniff.calls.authentication import RawToken
from kafkasniff.calls.call import Call, Frame, Gap
from kafkasniff.calls.columns.talks import Talk, is_plain, is_small
from kafkasniff.calls.conversation import Conversation
from kafkasniff.calls.encrypted import EncryptedConversation
from kafkasniff.calls.frames import SIZE_PREFIX, FrameCutter
from kafkasniff.calls.items import Item
from kafkasniff.tcp.events import StreamData, StreamRun

FEWEST_SEGMENTS = 64
"""What must be left of a run to be worth columns."""
FEWEST_AT_ONCE = 16
"""Segments of equal size from which on copying them at once to join them costs less than a view of each."""
_SIZE = Struct(">i")
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
        self._may_leave = run.times_rise and is_small(run) and run.in_order
        self.packet = NEVER
        """The packet of the next step by its index in the batch; `NEVER` at the end."""
        self._look()

    def step(self) -> Sequence[Call | Gap | RawToken]:
        """Take the next frame or segment; give what ended with it."""
        sides = self._sides
        if sides is None:
            found = self._conversation.take(self._reader.read())
            self._look()
            return found
        kafka = self._conversation.kafka
        assert kafka is not None
        direction = 0 if sides[0].packet < sides[1].packet else 1
        side = sides[direction]
        at_end, stop = side.packet == NEVER, side.stop
        if side.whole and kafka.take_frame(direction, side.cut()):
            self._look_at(sides)
            return kafka.take_calls()
        side.push_until(self.packet, stop)
        sides[1 - direction].push_until(self.packet)
        for each_direction in (direction, 1 - direction):
            kafka.drain(each_direction)
        if at_end or kafka.orderly_cutters is None:
            self._sides = None
        else:
            for each in sides:
                each.look()
        self._look()
        return kafka.take_calls()

    def take(self, earliest: int, found: list[tuple[int, Sequence[Item]]]) -> Talk | None:
        """Take all that is left, up to what may go by columns, which is given; add what ended to `found`, with places.

        Nothing ends before the place `earliest`.
        """
        while self.packet != NEVER:
            if self._may_leave and (talk := self._rest()) is not None:
                return talk
            # The packet that closes a hole with a gap also lets the run behind it begin.
            place = max(2 * self.packet + 1, earliest)
            if items := self.step():
                found.append((place, items))
        return None

    @property
    def is_decided(self) -> bool:
        """Tell whether it is known what the connection is."""
        conversation = self._conversation
        return conversation.kafka is not None or (
            isinstance(conversation, Conversation) and conversation.protocol is not None
        )

    def _rest(self) -> Talk | None:
        """Give what is left of the run if it may go by columns; if it does so, nothing more is to be taken here."""
        conversation, sides = self._conversation, self._sides
        if sides is None or not isinstance(conversation, Conversation):
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
                if not conversation.has_start(direction) and (event := self._reader.peek(direction)) is not None:
                    conversation.note_start(event)
            self._sides = (SideCutter(self._reader, 0, cutters[0]), SideCutter(self._reader, 1, cutters[1]))
        self._look_at(self._sides)

    def _look_at(self, sides: "tuple[SideCutter, SideCutter]") -> None:
        first, second = sides[0].packet, sides[1].packet
        packet = first if first < second else second
        self.packet = packet if packet != NEVER else self._reader.last_packet


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
        "__dict__",
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
        "_side",
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
        self._side = side = reader.run.sides[direction]
        self._packets, self._ends, self._shifts, self._delivered_by = side[:4]
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
        packets, cutter, of_last = self._packets, self._cutter, self._last
        latest = packets[of_last] if packets is self._delivered_by else max(packets[index : of_last + 1])
        last = batch.arrival(latest)
        if self._begun:
            frame = cutter.complete(b"" if cutter.passes or at == end else self._read(at, end), last)
        elif index == of_last:
            shift = self._shifts[index]
            frame = cutter.cut_whole(self._data[at + SIZE_PREFIX + shift : end + shift], last, last)
        else:
            frame = cutter.cut_whole(self._read(at + SIZE_PREFIX, end), batch.arrival(packets[index]), last)
        self._at, self._index, self._begun = end, of_last, False
        self._find_next()
        return frame

    def push_until(self, packet: int, stop: int = NEVER) -> None:
        """Push what was not cut of the segments up to `packet` and before `stop`; in the last at most a frame ends."""
        first = self._first
        stop = min(bisect_right(self._delivered_by, packet), stop)
        if stop > first:
            self._push(stop)
            self._cutter.note_segments(*self._side.sizes(first, stop))
            self._reader.indexes[self._direction] = self._first = stop

    def _push(self, stop: int) -> None:
        cutter, ends, run = self._cutter, self._ends, self._reader.run
        index = bisect_right(ends, self._at)
        while index < stop:
            last = stop - 1
            if cutter.missing and index < last - 1:
                # Of a frame under way only the latest packet counts; it may end in the last segment.
                rest = self._read(self._at, ends[last - 1])
                in_order = self._packets is self._delivered_by
                latest = last - 1 if in_order else max(range(index, last), key=self._packets.__getitem__)
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
        missing = self._cutter.missing
        self._begun = bool(missing)
        if missing == 0:
            self._find_next()
            return
        at, ends = self._at, self._ends
        if at == self._total:
            self._find_nothing()
            return
        self._index = index = bisect_right(ends, at, self._index)
        if missing is None:
            self.packet, self.whole, self.stop = self._delivered_by[index], False, index + 1
        else:
            self._find_end(index, at + missing)

    def _find_next(self) -> None:
        """Find the end of a frame that begins here."""
        at, ends, index = self._at, self._ends, self._index
        if at + SIZE_PREFIX > self._total:
            self._find_nothing()
            return
        while ends[index] <= at:
            index += 1
        self._index = index
        if ends[index] >= at + SIZE_PREFIX:
            (size,) = _SIZE.unpack_from(self._data, at + self._shifts[index])
        else:
            (size,) = _SIZE.unpack(self._read(at, at + SIZE_PREFIX))
        if 0 <= size <= self._whole_limit:
            self._find_end(index, at + SIZE_PREFIX + size)
        else:
            self.packet, self.whole, self.stop = self._delivered_by[index], False, index + 1

    def _find_end(self, index: int, end: int) -> None:
        """Look for the `end` of a frame from a segment on."""
        self._end = end
        if end <= self._total:
            ends = self._ends
            last = self._last = index if end <= ends[index] else bisect_left(ends, end, index)
            self.packet, self.whole, self.stop = self._delivered_by[last], True, last + 1
        else:
            self._find_nothing()

    def _find_nothing(self) -> None:
        self.packet, self.whole, self.stop = NEVER, False, len(self._ends)

    def _read(self, start: int, end: int) -> bytes:
        """Give the bytes from `start` to `end`, counted from the run's beginning."""
        ends, shifts, data = self._ends, self._shifts, self._data
        first = bisect_right(ends, start)
        if end <= ends[first]:
            return data[start + shifts[first] : end + shifts[first]]
        last = bisect_left(ends, end, first)
        largest, count = self._side.largest, last - first - 1
        if count >= FEWEST_AT_ONCE and ends[last - 1] - ends[first] == count * largest:
            begin = ends[first] + shifts[first] - largest
            tail = ends[last - 1] + shifts[last]
            if begin >= 0 and tail + largest <= len(data):
                # What stands in the packets before the first part and behind the last one is left out again.
                places = self._places[first : last + 1].copy()
                places[-1] = tail
                blocks = self._blocks[places].view(np.uint8)
                skipped = largest - ends[first] + start
                return blocks[skipped : skipped + end - start].tobytes()
        view = memoryview(data)
        parts = [view[start + shifts[first] : ends[first] + shifts[first]]]
        whole = zip(ends[first:last], ends[first + 1 : last], shifts[first + 1 : last], strict=False)
        parts += [view[begin + shift : stop + shift] for begin, stop, shift in whole]
        parts.append(view[ends[last - 1] + shifts[last] : end + shifts[last]])
        return b"".join(parts)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where in the buffer segments begin that are as large as the largest."""
        places: NDArray[np.int64] = np.asarray(self._ends) + np.asarray(self._shifts) - self._side.largest
        return places

    @cached_property
    def _blocks(self) -> NDArray[np.void]:
        """At each position of the buffer as many bytes as the largest segment has."""
        largest = self._side.largest
        return np.ndarray((len(self._data) - largest + 1,), f"V{largest}", self._data, 0, (1,))
