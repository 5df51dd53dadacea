"""Sets of numbers of parts as intervals: of many files that follow each other there is one."""

from collections.abc import Iterable

Intervals = tuple[tuple[int, int], ...]
"""The first and the last number of each, in order."""


def intervals_of(numbers: Iterable[int]) -> Intervals:
    """Give the intervals that hold these numbers, and no other."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def numbers_in(sets: Iterable[Intervals]) -> frozenset[int]:
    """Give the numbers that some of these hold."""
    different = {interval for intervals in sets for interval in intervals}
    return frozenset().union(*(range(first, last + 1) for first, last in different))
