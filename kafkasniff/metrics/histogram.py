"""Histograms of latencies with exponential buckets, as Prometheus' native histograms have them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SCHEMA = 3
"""Of native histograms: a bucket's upper bound is 2^(2^-SCHEMA) times its lower one, about 9 % more."""
_PER_OCTAVE = 1 << SCHEMA
LOWEST, HIGHEST = -20, 6
"""Powers of two, in seconds, between which buckets lie: 1 µs to 64 s."""
_LOWEST_TOLD = -13
"""Of what Prometheus is told, where each bucket of each key is a series: 122 µs."""
BOUNDS: NDArray[np.float64] = 2.0 ** (np.arange(LOWEST * _PER_OCTAVE, HIGHEST * _PER_OCTAVE + 1) / _PER_OCTAVE)
"""Upper bounds of the buckets in seconds, each included; behind them is one without a bound."""
ZERO_THRESHOLD = 2.0**LOWEST
"""Up to it latencies are in the zero bucket of a native histogram."""
BUCKETS = len(BOUNDS) + 1
_TOLD = slice((_LOWEST_TOLD - LOWEST) * _PER_OCTAVE, len(BOUNDS), _PER_OCTAVE)
OCTAVES = BOUNDS[_TOLD]
"""The powers of two among the bounds, from 122 µs on."""


def bucket_of(seconds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give the number of the bucket that holds each latency."""
    return np.searchsorted(BOUNDS, seconds, side="left")


def up_to_octaves(counts: NDArray[Any]) -> list[int]:
    """Give how many latencies were up to each of `OCTAVES`, and behind these how many there are."""
    sums = np.cumsum(counts)
    return [*map(int, sums[_TOLD]), int(sums[-1])]


class Native(NamedTuple):
    """A native histogram, without its sum."""

    zero: int
    """Latencies up to `ZERO_THRESHOLD`."""
    spans: list[tuple[int, int]]
    """How many buckets lie between the span before and this one (of the first its index), and how many it has."""
    deltas: list[int]
    """How many more latencies each bucket of the spans has than the one before."""


def native_of(counts: NDArray[Any]) -> Native:
    """Give what Prometheus' native histograms hold; latencies above the last bound are in the bucket behind it."""
    filled = np.flatnonzero(counts[1:]).tolist()
    first = LOWEST * _PER_OCTAVE + 1
    spans: list[tuple[int, int]] = []
    deltas: list[int] = []
    last, count = -first, 0
    for at in filled:
        if spans and at == last:
            spans[-1] = spans[-1][0], spans[-1][1] + 1
        else:
            spans.append((at - last, 1))
        deltas.append(int(counts[at + 1]) - count)
        last, count = at + 1, int(counts[at + 1])
    return Native(int(counts[0]), spans, deltas)


def percentile_ms(counts: NDArray[Any], share: float) -> float | None:
    """Estimate the latency that a `share` of all do not exceed, in milliseconds, at most 9 % off; None without any.

    Of latencies above the last bound it gives that bound.
    """
    sums = np.cumsum(counts)
    if not sums[-1]:
        return None
    rank = share * float(sums[-1])
    at = int(np.searchsorted(sums, rank, side="left"))
    if at >= len(BOUNDS):
        return float(BOUNDS[-1]) * 1000
    low = float(BOUNDS[at - 1]) if at else 0.0
    before = float(sums[at - 1]) if at else 0.0
    return (low + (float(BOUNDS[at]) - low) * (rank - before) / float(counts[at])) * 1000
