"""Sums of calls by a key of a bounded number."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kafkasniff.metrics.histogram import BUCKETS, percentile_ms
from kafkasniff.render.words import show

Key = tuple[str, ...]

OTHER = "other"
"""What stands for all names beyond the limit."""
NAME_CHARACTERS = 128
"""Of a name from the wire, escaped; what is behind them is cut."""

SUMS = (
    "calls",
    "failed",
    "unanswered",
    "request_bytes",
    "response_bytes",
    "throttled",
    "throttle_ms",
    "answered",
    "latency_ms",
)
"""Of each key, by the names that `stats` has for them; `latency_ms` is the sum of the answered calls' times."""


@dataclass(frozen=True, slots=True)
class Row:
    """What there is of a key."""

    sums: NDArray[np.float64]
    """In the order of `SUMS`."""
    buckets: NDArray[np.int64]

    def __getitem__(self, name: str) -> float:
        """Give one of `SUMS`."""
        return float(self.sums[SUMS.index(name)])

    def __add__(self, other: "Row") -> "Row":
        """Give both together."""
        return Row(self.sums + other.sums, self.buckets + other.buckets)

    def __sub__(self, other: "Row") -> "Row":
        """Give what came after `other`."""
        return Row(self.sums - other.sums, self.buckets - other.buckets)

    def percentile_ms(self, share: float) -> float | None:
        """Give a percentile of the latencies in ms (`histogram.percentile_ms`)."""
        return percentile_ms(self.buckets, share)


def no_row() -> Row:
    """Give a row without calls."""
    return Row(np.zeros(len(SUMS)), np.zeros(BUCKETS, np.int64))


class Breakdown:
    """Sums by the values of `labels`, for at most `limit` keys; all others are one key, whose values are `other`."""

    def __init__(self, labels: Key, limit: int) -> None:
        """Begin without keys; `labels` are named as columns of `calls`, or as the keys of `stats`."""
        self.labels = labels
        self.limit = limit
        self._numbers: dict[Key, int] = {}
        self._raw: dict[Any, int] = {}
        self._sums = np.zeros((1, len(SUMS)))
        self._buckets = np.zeros((1, BUCKETS), np.int64)
        self._used = np.zeros(1)

    def __len__(self) -> int:
        """Give how many keys have rows of their own."""
        return len(self._numbers)

    def number(self, values: Key) -> int:
        """Give the number of the row of a key, whose `values` are as the wire has them."""
        found = self._raw.get(values)
        if found is not None:
            return found
        if len(self._numbers) >= self.limit:
            return 0
        key = tuple(show(value, NAME_CHARACTERS) for value in values)
        found = self._numbers.get(key)
        if found is None:
            free = self._free()
            found = self._numbers[key] = free
        if len(self._raw) < 2 * self.limit:
            self._raw[values] = found
        return found

    def _free(self) -> int:
        """Give the number of a row that no key has."""
        taken = {0, *self._numbers.values()}
        free = next(number for number in range(len(taken) + 1) if number not in taken)
        if free == len(self._sums):
            more = min(free, self.limit + 1 - free) or 1
            self._sums = np.vstack((self._sums, np.zeros((more, len(SUMS)))))
            self._buckets = np.vstack((self._buckets, np.zeros((more, BUCKETS), np.int64)))
            self._used = np.append(self._used, np.zeros(more))
        return free

    def add(self, numbers: NDArray[Any], sums: NDArray[np.float64], buckets: NDArray[np.int64], now: float) -> None:
        """Add calls at `now`, in seconds: of each the number of its row, its sums, and its bucket (-1: none)."""
        rows = len(self._sums)
        for at in range(len(SUMS)):
            self._sums[:, at] += np.bincount(numbers, sums[at], rows)
        has_one = buckets >= 0
        flat = numbers[has_one] * BUCKETS + buckets[has_one]
        places, counts = np.unique(flat, return_counts=True)
        self._buckets.reshape(-1)[places] += counts
        self._used[numbers] = now

    def forget(self, before: float) -> None:
        """Forget keys that nothing came of since `before`, once so many are known that others may want their rows."""
        if len(self._numbers) < self.limit:
            return
        idle = {key: number for key, number in self._numbers.items() if self._used[number] < before}
        for key, number in idle.items():
            del self._numbers[key]
            self._sums[number] = 0
            self._buckets[number] = 0
        if idle:
            self._raw.clear()

    def rows(self) -> dict[Key, Row]:
        """Give a copy of all rows; that of other keys only where there are any."""
        sums, buckets = self._sums.copy(), self._buckets.copy()
        numbers: dict[Key, int] = dict(self._numbers)
        rows = {key: Row(sums[number], buckets[number]) for key, number in numbers.items()}
        if sums[0].any():
            other = (OTHER,) * len(self.labels)
            row = Row(sums[0], buckets[0])
            rows[other] = rows[other] + row if other in rows else row
        return rows


def between(rows: Mapping[Key, Row], before: Mapping[Key, Row]) -> dict[Key, Row]:
    """Give what came of each key after `before`; a key that was forgotten meanwhile began anew."""
    found = {}
    for key, row in rows.items():
        earlier = before.get(key)
        since = row if earlier is None or earlier["calls"] > row["calls"] else row - earlier
        if since["calls"]:
            found[key] = since
    return found


def merged(rows: Mapping[Key, Row], at: int) -> dict[Key, Row]:
    """Add up rows whose keys have the same value at place `at`."""
    found: dict[Key, Row] = {}
    for key, row in rows.items():
        name = (key[at],)
        found[name] = found[name] + row if name in found else row
    return found


def total(rows: Iterable[Row]) -> Row:
    """Add up rows."""
    found = no_row()
    for row in rows:
        found += row
    return found
