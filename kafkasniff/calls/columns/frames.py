"""Cuts the streams of many runs into frames, which stay where they lie as long as one segment brought them.

Each segment is taken to begin with a frame, and all are walked through at once. Where the last frame of a segment ends
with it, the next segment does begin with one. Plain code sees only those frames that others bring to an end.
"""

from bisect import bisect_left
from struct import Struct
from typing import NamedTuple

import numpy as np

from kafkasniff.calls.columns.calls import Numbers
from kafkasniff.calls.columns.streams import Streams, ordered
from kafkasniff.calls.frames import SIZE_PREFIX
from kafkasniff.protocol.body_columns import Buffer, Marks

_SIZE = Struct(">i")
_SMALLEST = 4
"""Bytes of the smallest message; what seems to be smaller is left to plain code."""
_FEWEST_BYTES = 8
"""Of a buffer in which numbers can be read anywhere."""


class Frames(NamedTuple):
    """The whole frames of all streams, in the order of the streams."""

    buffer: Buffer
    """The bytes of the batch, behind them frames that several segments brought, and the requests that wait."""
    waiting_at: int
    """Where in the buffer those requests begin, one behind the other."""
    stream: Numbers
    """Index of the stream."""
    start: Numbers
    """Position in the buffer of the content, behind the size prefix."""
    end: Numbers
    offset: Numbers
    """Bytes of the stream before the size prefix."""
    first_packet: Numbers
    """Index in the batch."""
    last_packet: Numbers
    rest: Numbers
    """For each stream: bytes of it up to the end of its last whole frame."""
    odd: Marks
    """For each stream: whether it has a size that is none, or one that needs a check."""


def cut(streams: Streams) -> Frames:
    """Cut all streams, as far as they are whole frames."""
    stream_of = np.repeat(np.arange(len(streams.limits)), np.diff(streams.bounds))
    segment, start, end, stops = _guess(streams, stream_of)
    odd_ends = _OddEnds(streams, stream_of, stops)
    counts = odd_ends.as_guessed[segment]
    if not counts.all():
        segment, start, end = segment[counts], start[counts], end[counts]
    last, offset = segment, odd_ends.before[segment] + (start - streams.places[segment])
    if odd_ends.found:
        more = np.array(odd_ends.found, np.int64).T
        last = np.concatenate((last, more[1]))
        segment, start, end, offset = (
            np.concatenate((mine, others))
            for mine, others in zip((segment, start, end, offset), more[[0, 2, 3, 4]], strict=True)
        )
    # Those of one segment stand in their order already.
    order = ordered(segment)
    segment, stream = segment[order], stream_of[segment[order]]
    waiting = [request.frame.data for requests in streams.waiting for request in requests]
    data = b"".join((streams.data, *odd_ends.joined, *waiting)).ljust(_FEWEST_BYTES, b"\0")
    start = start[order]
    return Frames(
        Buffer(data),
        odd_ends.joined_end,
        stream,
        start,
        end[order],
        offset[order] - odd_ends.before_stream[stream] - SIZE_PREFIX,
        streams.packets[segment],
        streams.packets[last[order]],
        odd_ends.rest,
        odd_ends.odd,
    )


def _guess(streams: Streams, stream_of: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Walk through segments from their beginnings on, as if these were frames.

    Gives the frames found with the segments that they lie in, and where in each segment what follows begins.
    """
    buffer = Buffer(streams.data.ljust(_FEWEST_BYTES, b"\0"))
    segment = ordered(streams.packets)
    at, stops = streams.places[segment], streams.places.copy()
    ends, limits = at + streams.lengths[segment], streams.limits[stream_of[segment]]
    found: list[tuple[Numbers, Numbers, Numbers]] = []
    while len(segment):
        size = buffer.numbers("i", at)
        start = at + SIZE_PREFIX
        end = start + size
        whole = (size >= _SMALLEST) & (size <= limits) & (end <= ends)
        if not whole.all():
            segment, start, end, ends, limits = (column[whole] for column in (segment, start, end, ends, limits))
        found.append((segment, start, end))
        stops[segment] = end
        more = end < ends
        segment, at, ends, limits = segment[more], end[more], ends[more], limits[more]
    nothing = np.zeros(0, np.int64)
    segment, start, end = (np.concatenate(column) for column in zip((nothing,) * 3, *found, strict=True))
    return segment, start, end, stops


class _OddEnds:
    """What does not end with its segment, stream by stream."""

    def __init__(self, streams: Streams, stream_of: Numbers, stops: Numbers) -> None:
        """Go on from where in each segment its last frame ends, if it begins with one."""
        ends = np.cumsum(streams.lengths)
        self.before = ends - streams.lengths
        """For each segment: bytes of all segments before it."""
        self.before_stream = np.append(0, ends)[streams.bounds]
        """The same for each stream."""
        self.as_guessed = np.ones(len(ends), np.bool_)
        """For each segment: whether what was found in it from its beginning on is true."""
        self.found: list[tuple[int, int, int, int, int]] = []
        """Frames that were not found so: first and last segment, beginning and end in the buffer, and the bytes of all
        segments before the content."""
        self.joined: list[bytes] = []
        """The contents of those that several segments brought, which stand behind the batch's bytes."""
        self.joined_end = len(streams.data)
        self.rest = np.diff(self.before_stream)
        self.odd = np.zeros(len(streams.limits), np.bool_)
        self._data = streams.data
        # Memory views give plain numbers, of which few are wanted.
        self._places, self._before, self._ends = streams.places.data, self.before.data, ends.data
        opened = np.flatnonzero(stops != streams.places + streams.lengths)
        stream_ends, limits = streams.bounds.tolist(), streams.limits.tolist()
        following = 0
        for segment, stream, stop in zip(
            opened.tolist(), stream_of[opened].tolist(), stops[opened].tolist(), strict=True
        ):
            if segment >= following:
                following = self._go_on(segment, stop, stream, stream_ends[stream + 1], limits[stream])

    def _go_on(self, segment: int, at: int, stream: int, last: int, limit: int) -> int:
        """Go on at a place in a segment with a frame that does not end there; give the segment that begins with one.

        `last` is the one behind the stream.
        """
        places, before, ends, data, unpack = self._places, self._before, self._ends, self._data, _SIZE.unpack_from
        begin = before[segment] + at - places[segment]
        first = segment
        while begin + SIZE_PREFIX <= ends[last - 1]:
            start, stop = begin + SIZE_PREFIX, ends[segment]
            (size,) = (
                unpack(data, begin - before[segment] + places[segment])
                if start <= stop
                else unpack(self._read(begin, start, segment))
            )
            if not 0 <= size <= limit:
                self.odd[stream] = True
                break
            end = start + size
            if end <= stop:
                shift = places[segment] - before[segment]
                self.found.append((segment, segment, start + shift, end + shift, start))
            elif end <= ends[last - 1]:
                beginning, segment = segment, bisect_left(ends, end, segment)
                self._join(beginning, segment, start, end)
            else:
                break
            begin = end
            if begin == ends[segment]:
                self.as_guessed[first + 1 : segment + 1] = False
                return segment + 1
        self.rest[stream] = begin - self.before_stream.item(stream)
        self.as_guessed[first + 1 : last] = False
        return last

    def _join(self, first: int, last: int, start: int, end: int) -> None:
        self.joined.append(self._read(start, end, first))
        self.found.append((first, last, self.joined_end, self.joined_end + end - start, start))
        self.joined_end += end - start

    def _read(self, start: int, end: int, segment: int) -> bytes:
        """Give bytes that begin in a segment or behind it, counted from the first segment's beginning on."""
        places, before, ends, data = self._places, self._before, self._ends, self._data
        middle = ends[segment]
        if start < middle < end <= ends[segment + 1]:
            # As nearly always.
            shift, shift_behind = places[segment] - before[segment], places[segment + 1] - middle
            return data[start + shift : middle + shift] + data[middle + shift_behind : end + shift_behind]
        parts = []
        while start < end:
            stop = min(end, ends[segment])
            shift = places[segment] - before[segment]
            parts.append(data[start + shift : stop + shift])
            start, segment = max(start, stop), segment + 1
        return b"".join(parts)
