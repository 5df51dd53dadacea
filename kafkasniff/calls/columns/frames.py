"""Cuts the streams of many runs into frames."""

from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kafkasniff.calls.columns.calls import Numbers
from kafkasniff.calls.columns.streams import Streams
from kafkasniff.calls.frames import SIZE_PREFIX

_SIZE = Struct(">i")
_FEW = 8
"""Streams of which each is cut by plain code, as columns cost more."""


class Frames(NamedTuple):
    """The whole frames of all streams, in the order of the streams."""

    stream: Numbers
    """Index of the stream."""
    start: Numbers
    """Position of the content, behind the size prefix."""
    end: Numbers
    rest: Numbers
    """For each stream: where its last whole frame ends."""
    odd: NDArray[np.bool_]
    """For each stream: whether it has a size that is none, or one that needs a check."""


def cut(streams: Streams) -> Frames:
    """Walk through all streams at once, from size prefix to size prefix."""
    rest, odd = streams.ends.copy(), np.zeros(len(streams.starts), np.bool_)
    index, at, ends = np.arange(len(streams.starts)), streams.starts, streams.ends
    found: list[tuple[Numbers, Numbers, Numbers]] = []
    while len(index) > _FEW:
        whole = ends - at >= SIZE_PREFIX
        if not whole.all():
            rest[index[~whole]] = at[~whole]
            index, at, ends = index[whole], at[whole], ends[whole]
        size = streams.int32(at)
        begin = at + SIZE_PREFIX
        end = begin + size
        believed = (size >= 0) & (size <= streams.limits[index])
        whole = believed & (end <= ends)
        if not whole.all():
            odd[index[~believed]] = True
            rest[index[~whole]] = at[~whole]
            index, begin, end, ends = index[whole], begin[whole], end[whole], ends[whole]
        found.append((index, begin, end))
        at = end
    found += [
        _cut_one(streams, each, place, stop, rest, odd)
        for each, place, stop in zip(index.tolist(), at.tolist(), ends.tolist(), strict=True)
    ]
    nothing = np.zeros(0, np.int64)
    stream, start, end = (np.concatenate(column) for column in zip((nothing,) * 3, *found, strict=True))
    order = np.argsort(start, kind="stable")
    return Frames(stream[order], start[order], end[order], rest, odd)


def _cut_one(
    streams: Streams, stream: int, at: int, end: int, rest: Numbers, odd: NDArray[np.bool_]
) -> tuple[Numbers, Numbers, Numbers]:
    data, limit, unpack = streams.data, streams.limits.item(stream), _SIZE.unpack_from
    starts, ends = [], []
    while at + SIZE_PREFIX <= end:
        (size,) = unpack(data, at)
        if not 0 <= size <= limit:
            odd[stream] = True
            break
        stop = at + SIZE_PREFIX + size
        if stop > end:
            break
        starts.append(at + SIZE_PREFIX)
        ends.append(stop)
        at = stop
    rest[stream] = at
    return np.full(len(starts), stream), np.array(starts, np.int64), np.array(ends, np.int64)
