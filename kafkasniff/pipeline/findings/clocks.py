"""The clocks of capture points that see the same calls: how far they are apart, by these calls."""

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from statistics import median
from typing import NamedTuple
from zlib import crc32

from kafkasniff.calls.call import Call

MOST_CALLS = 512
"""Calls of a vantage by which its clock is compared: those with the smallest hashes, so that all choose the same."""
_FEWEST_CALLS = 3
"""Two are enough if they agree: the same ports and ids may come again, but not at the same distance."""
_SMALLEST_NS = 1_000_000
"""Clocks that are closer are taken for one: so much may be spent on the way."""

Times = tuple[int, int]
"""When a call's request began, and when its answer ended, in ns since 1970."""


class Shift(NamedTuple):
    """How far the clock of a vantage is ahead of another's."""

    ahead_ns: int
    other: str
    calls: int
    """That both saw."""


class SharedCalls:
    """The calls of a vantage that others may have seen too."""

    __slots__ = ("times",)

    def __init__(self) -> None:
        """Begin with none."""
        self.times: dict[int, Times] = {}
        """By a hash of what all see of a call."""

    def take(self, call: Call) -> None:
        """Take an answered call."""
        if call.request is None or call.response is None or call.header is None:
            return
        header = call.header
        seen = f"{call.client} {call.server} {header.api_key} {header.correlation_id} {call.request.size}"
        key = crc32(seen.encode()) << 32 | call.response.size & 0xFFFFFFFF
        if key not in self.times:
            self.times[key] = call.request.first.time, call.response.last.time
            if len(self.times) >= 2 * MOST_CALLS:
                self.times = fewest(self.times)


def fewest(times: Mapping[int, Times]) -> dict[int, Times]:
    """Give the calls with the smallest hashes."""
    return {key: times[key] for key in nsmallest(MOST_CALLS, times)}


def shifts_of(vantages: Sequence[str], calls: Mapping[str, Mapping[int, Times]]) -> dict[str, Shift]:
    """Give how far clocks are ahead of that of the first vantage; of those that cannot be told, or agree, nothing.

    A request takes as long to the other vantage as an answer takes back, or so it is taken to be: then the mean of
    both differences is that of the clocks.
    """
    known = {vantages[0]: 0}
    found: dict[str, Shift] = {}
    others = [vantages[0]]
    while others:
        other = others.pop()
        for vantage in [each for each in vantages if each not in known]:
            both = calls.get(vantage, {}).keys() & calls.get(other, {}).keys()
            apart = [sum(calls[vantage][key]) - sum(calls[other][key]) for key in both]
            if len(apart) < 2 or (len(apart) < _FEWEST_CALLS and max(apart) - min(apart) > 2 * _SMALLEST_NS):
                continue
            ahead = known[other] + round(median(apart) / 2)
            others.append(vantage)
            known[vantage] = ahead
            if abs(ahead) >= _SMALLEST_NS:
                found[vantage] = Shift(ahead, vantages[0], len(both))
    return found
