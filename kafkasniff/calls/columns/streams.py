"""The bytes of many runs in one buffer."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kafkasniff.calls.columns.calls import Numbers
from kafkasniff.calls.columns.talks import Talk
from kafkasniff.calls.pairing import WaitingRequest


class Streams(NamedTuple):
    """The bytes of all runs in one buffer: of each run those of the client, then those of the server."""

    data: bytes
    """With the requests behind them that wait for their answers from earlier on."""
    starts: Numbers
    """Where each stream begins: twice as many as runs."""
    ends: Numbers
    segment_ends: Numbers
    """Where each segment ends, in the order of the streams."""
    segment_packets: Numbers
    """Index in the batch of the packet that brought it."""
    waiting: list[list[WaitingRequest]]
    """For each run: requests that wait for answers from earlier on."""
    limits: Numbers
    """For each stream: the size up to which a message needs no check before it is whole."""

    def int32(self, places: Numbers) -> Numbers:
        """Read the numbers at these positions."""
        return np.ndarray(len(self.data) - 3, ">i4", self.data, 0, (1,))[places].astype(np.int64)

    def int16(self, places: Numbers) -> Numbers:
        """Read the numbers at these positions; what lies behind the buffer is read as its end."""
        return np.ndarray(len(self.data) - 1, ">i2", self.data, 0, (1,))[np.minimum(places, len(self.data) - 2)].astype(
            np.int64
        )

    def bytes_at(self, places: Numbers) -> Numbers:
        """Read single bytes, as `int16` does."""
        return np.frombuffer(self.data, np.uint8)[np.minimum(places, len(self.data) - 1)].astype(np.int64)


def join(talks: Sequence[Talk]) -> Streams:
    """Put the bytes of runs of one batch one behind the other."""
    parts: list[bytes] = []
    starts: list[int] = []
    ends_of: list[Numbers] = []
    packets: list[Numbers] = []
    limits: list[int] = []
    waiting = []
    at = 0
    for talk in talks:
        kafka = talk.kafka
        data = talk.run.batch.data
        for direction in (kafka.client, 1 - kafka.client):
            side, start = talk.run.sides[direction], talk.starts[direction]
            first = bisect_right(side.ends, start)
            rest = side.ends[first:]
            begins = [start, *rest[:-1]] if rest else []
            parts += [
                data[begin + shift : end + shift]
                for begin, end, shift in zip(begins, rest, side.shifts[first:], strict=True)
            ]
            ends = np.array(rest, np.int64) + (at - start)
            starts.append(at)
            at = int(ends[-1]) if len(ends) else at
            ends_of.append(ends)
            packets.append(np.array(side.packets[first:], np.int64))
            limits.append(kafka.cutter(direction).whole_limit)
        waiting.append(kafka.waiting)
    parts += [request.frame.data for requests in waiting for request in requests]
    # So that numbers at the very end can be read where there is nothing else.
    parts.append(bytes(8))
    begins_of = np.array(starts, np.int64)
    return Streams(
        b"".join(parts),
        begins_of,
        np.append(begins_of[1:], at),
        np.concatenate(ends_of),
        np.concatenate(packets),
        waiting,
        np.array(limits, np.int64),
    )
