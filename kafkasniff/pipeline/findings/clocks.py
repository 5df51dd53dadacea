# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""The clocks of capture points that see the same calls and connections: how far they are apart, by these."""

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from statistics import median
from typing import NamedTuple
from zlib import crc32

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport

MOST_CALLS = 512
"""Of a vantage by which its clock is compared: those with the smallest hashes, so that all choose the same."""
_FEWEST_CALLS = 3
"""Two are enough if they agree: the same ports and ids may come again, but not at the same distance."""
_SMALLEST_NS = 1_000_000
"""Clocks that are closer are taken for one: so much may be spent on the way."""

Times = tuple[int, int]
"""When a call's request began, and when its answer ended, in ns since 1970; a connection's first and last packet."""


class Shift(NamedTuple):
    """How far the clock of a vantage is ahead of another's."""

    ahead_ns: int
    other: str
    calls: int
    """That both saw, with connections."""


class Shared:
    """The calls and connections of a vantage that others may have seen too."""

    __slots__ = ("times",)

    def __init__(self) -> None:
        """Begin with none."""
        self.times: dict[int, Times] = {}
        """By a hash of what all see of it."""

    def take_call(self, call: Call) -> None:
        """Take an answered call."""
        request, response, header = call.request, call.response, call.header
        if request is None or response is None or header is None:
            return
        seen = f"{call.client} {call.server} {header.api_key} {header.correlation_id} {request.size}"
        self._take(seen, response.size, (request.first.time, response.last.time))

    def take_connection(self, report: ConnectionReport) -> None:
        """Take a connection whose beginning was captured, for those that have no answered calls."""
        connection = report.connection
        if connection.initiator is None:
            return
        counted = [(each.packets, each.data_bytes) for each in connection.counters]
        seen = f"{report.client} {report.server} {counted}"
        self._take(seen, counted[0][1], (connection.first.time, connection.last.time))

    def _take(self, seen: str, size: int, times: Times) -> None:
        key = crc32(seen.encode()) << 32 | size & 0xFFFFFFFF
        if key not in self.times:
            self.times[key] = times
            if len(self.times) >= 2 * MOST_CALLS:
                self.times = fewest(self.times)


def fewest(times: Mapping[int, Times]) -> dict[int, Times]:
    """Give those with the smallest hashes."""
    return {key: times[key] for key in nsmallest(MOST_CALLS, times)}


def shifts_of(vantages: Sequence[str], calls: Mapping[str, Mapping[int, Times]]) -> dict[str, Shift]:
    """Give how far clocks are ahead of that of the first vantage; of those that cannot be told, or agree, nothing.

    A request takes as long to the other vantage as an answer takes back, or so it is taken to be: then the mean of
    both differences is that of the clocks. The last packet of a connection may go either way, so that what it tells may
    be wrong by as much as one way takes.
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
