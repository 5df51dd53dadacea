"""One direction of a run of segments: how far it was read, its bytes, and the frames in it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from struct import Struct

import numpy as np

from kafkasniff.calls.call import Frame
from kafkasniff.calls.frames import SIZE_PREFIX, FrameCutter
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.columns import Numbers, gather
from kafkasniff.tcp.events import RunSide, StreamData, StreamRun

FEWEST_AT_ONCE = 16
"""Segments of equal size from which on copying them at once to join them costs less than a view of each."""
NEVER = 1 << 62
"""Later than every packet."""
_SIZE = Struct(">i")

_Cut = tuple[Frame | None, int, int, int, int, bool]
"""What was cut last, None at the beginning; bytes from the run's beginning to what comes next, and a segment that it
does not begin before; `packet`, `stop` and `whole` as in `SideCutter`."""


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


class SideBytes:
    """The bytes of one direction of a run."""

    def __init__(self, batch: PacketBatch, side: RunSide) -> None:
        """Copy nothing yet."""
        self.batch = batch
        self.side = side

    def read(self, start: int, end: int) -> bytes:
        """Give the bytes from `start` to `end`, at least one, counted from the run's beginning."""
        ends, shifts, data = self.side.ends, self.side.shifts, self.batch.data
        first = bisect_right(ends, start)
        if end <= ends[first]:
            return data[start + shifts[first] : end + shifts[first]]
        last = bisect_left(ends, end, first)
        largest, count = self.side.largest, last - first - 1
        if count >= FEWEST_AT_ONCE and ends[last - 1] - ends[first] == count * largest:
            before = ends[first] + shifts[first] - largest
            tail = ends[last - 1] + shifts[last]
            if before >= 0 and tail + largest <= len(data):
                # What stands in the packets before the first part and behind the last one is left out again.
                places = self._places[first : last + 1].copy()
                places[-1] = tail
                copied = gather(data, places, np.dtype((np.void, largest))).view(np.uint8)
                skipped = largest - ends[first] + start
                return copied[skipped : skipped + end - start].tobytes()
        view = memoryview(data)
        parts = [view[start + shifts[first] : ends[first] + shifts[first]]]
        whole = zip(ends[first:last], ends[first + 1 : last], shifts[first + 1 : last], strict=False)
        parts += [view[begin + shift : stop + shift] for begin, stop, shift in whole]
        parts.append(view[ends[last - 1] + shifts[last] : end + shifts[last]])
        return b"".join(parts)

    @cached_property
    def _places(self) -> Numbers:
        """Where in the buffer segments begin that are as large as the largest."""
        places: Numbers = np.asarray(self.side.ends) + np.asarray(self.side.shifts) - self.side.largest
        return places


class SideCutter:
    """Cuts one direction of a run into frames, in place of pushing its segments into the direction's cutter."""

    __slots__ = (
        "_bytes",
        "_cuts",
        "_cutter",
        "_direction",
        "_index",
        "_reader",
        "at",
        "packet",
        "pushed",
        "stop",
        "whole",
    )

    def __init__(self, reader: RunReader, direction: int, cutter: FrameCutter) -> None:
        """Go on where `reader` and `cutter` stand."""
        self._reader = reader
        self._cutter = cutter
        self._direction = direction
        self._bytes = SideBytes(reader.run.batch, reader.run.sides[direction])
        self.pushed = self._index = reader.indexes[direction]
        """Segments that the cutter knows of."""
        self.at = self._bytes.side.ends[self.pushed - 1] if self.pushed else 0
        """Bytes of the run that were cut or pushed."""
        self.whole = False
        """Whether the next frame is whole; if not, the next segment must be pushed."""
        self.packet = NEVER
        """The packet that brings the next frame's end, or lets the next segment be pushed; `NEVER` when there is
        neither."""
        self.stop = 0
        """Behind the segment with that end, or the one to be pushed: that packet may have brought more of them."""
        self.look()

    @property
    def segments_left(self) -> int:
        """Give about how many segments are still to be cut."""
        return len(self._bytes.side.ends) - self._index

    def look(self) -> None:
        """Find the next frame's end."""
        self._cuts = _cut_frames(self._bytes, self._cutter, self.at, self._index)
        _, self.at, self._index, self.packet, self.stop, self.whole = next(self._cuts)

    def cut(self) -> Frame:
        """Give the next frame, which must be whole."""
        frame, self.at, self._index, self.packet, self.stop, self.whole = next(self._cuts)
        assert frame is not None
        return frame

    def push_until(self, packet: int, stop: int = NEVER) -> None:
        """Push what was not cut of the segments up to `packet` and before `stop`; in the last at most a frame ends."""
        first, side = self.pushed, self._bytes.side
        stop = min(bisect_right(side.delivered_by, packet), stop)
        if stop > first:
            self._push(stop)
            self._cutter.note_segments(*side.sizes(first, stop))
            self._reader.indexes[self._direction] = self.pushed = stop

    def _push(self, stop: int) -> None:
        cutter, side, run = self._cutter, self._bytes.side, self._reader.run
        ends, packets = side.ends, side.packets
        index = bisect_right(ends, self.at)
        while index < stop:
            last = stop - 1
            if cutter.missing and index < last - 1:
                # Of a frame under way only the latest packet counts; it may end in the last segment.
                rest = self._bytes.read(self.at, ends[last - 1])
                in_order = packets is side.delivered_by
                latest = last - 1 if in_order else max(range(index, last), key=packets.__getitem__)
                cutter.add(run.data(self._direction, latest)._replace(data=rest))
                index = last
            else:
                event = run.data(self._direction, index)
                cutter.add(event, self.at - ends[index] + len(event.data))
                index += 1
            self.at, self._index = ends[index - 1], index - 1
            if index < stop and cutter.aligned:
                cutter.next_frame()


def _cut_frames(content: SideBytes, cutter: FrameCutter, at: int, index: int) -> Iterator[_Cut]:
    """Cut whole frames from `at` on, each when it is asked for, and find the end of the next one before it is given.

    The last thing given is followed by something else than a whole frame. `index`: as in what is given.
    """
    # Frames are many: what they are made of is at hand.
    arrival, data = content.batch.arrival, content.batch.data
    packets, ends, shifts, delivered_by, *_ = content.side
    in_order, unpack, read, cut_whole = packets is delivered_by, _SIZE.unpack_from, content.read, cutter.cut_whole
    total, limit, missing = ends[-1] if ends else 0, cutter.whole_limit, cutter.missing
    frame = None
    while at < total:
        first = index
        while ends[first] <= at:
            first += 1
        start = at
        if missing:
            end = at + missing
        else:
            start += SIZE_PREFIX
            if missing is None:
                size = -1
            elif start > total:
                break
            else:
                (size,) = unpack(data, at + shifts[first]) if start <= ends[first] else unpack(read(at, start))
            if not 0 <= size <= limit:
                yield frame, at, index, delivered_by[first], first + 1, False
                return
            end = start + size
        if end > total:
            break
        last = first if end <= ends[first] else bisect_left(ends, end, first)
        yield frame, at, index, delivered_by[last], last + 1, True
        # Completed by the latest packet, which need not be the last in the stream.
        latest = arrival(packets[last] if in_order else max(packets[first : last + 1]))
        if missing:
            frame, missing = cutter.complete(b"" if cutter.passes else read(at, end), latest), 0
        elif first == last:
            shift = shifts[first]
            frame = cut_whole(data[start + shift : end + shift], latest, latest)
        else:
            frame = cut_whole(read(start, end), arrival(packets[first]), latest)
        at, index = end, last
    yield frame, at, index, NEVER, len(ends), False
