"""Bytes that a segment repeated with other contents, until it is known into which message they fell."""

from collections.abc import Iterable

from kafkasniff.calls.call import Side
from kafkasniff.calls.correlation.frames import SIZE_PREFIX
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.errors import Problem

MOST = 1_024
"""Places of one direction that are remembered."""


class Contradictions:
    """The first bytes seen stand; the message that they belong to says that others came."""

    __slots__ = ("_ranges",)

    def __init__(self) -> None:
        """Begin with none."""
        self._ranges: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])

    def __bool__(self) -> bool:
        """Tell whether there is any that no message has said."""
        return bool(self._ranges[0] or self._ranges[1])

    def add(self, direction: int, ranges: Iterable[tuple[int, int]], side: Side, waiting: Iterable[Frame]) -> None:
        """Take stream positions, from and up to; `waiting` are frames of this direction that were not given yet."""
        left = list(ranges)
        for frame in waiting:
            end = frame.stream_offset + SIZE_PREFIX + frame.size
            if any(start < end and stop > frame.stream_offset for start, stop in left):
                _tell(frame, side, min(start for start, stop in left if stop > frame.stream_offset))
                left = [each for each in left if each[0] < frame.stream_offset or each[1] > end]
        known = self._ranges[direction]
        known += left[: max(MOST - len(known), 0)]

    def describe(self, direction: int, frame: Frame, side: Side) -> None:
        """Say on a frame what of its bytes, or of those before it since the last frame, was contradicted."""
        begin, end = frame.stream_offset, frame.stream_offset + SIZE_PREFIX + frame.size
        ranges = self._ranges[direction]
        own = [start for start, stop in ranges if start < end and stop > begin]
        if own:
            _tell(frame, side, min(own))
        if any(stop <= begin for _, stop in ranges):
            text = "bytes of a message before this one were repeated with other contents when it had been given"
            frame.problems.append(Problem(side, None, "", text))
        ranges[:] = [each for each in ranges if each[1] > end]


def _tell(frame: Frame, side: Side, start: int) -> None:
    offset = max(start - frame.stream_offset - SIZE_PREFIX, 0)
    text = "a segment repeated bytes from here on with other contents: the first seen are shown"
    if not any(problem.message == text for problem in frame.problems):
        frame.problems.append(Problem(side, offset, "", text))
