"""Finding the records of a large buffer with many walkers at once, where each record says how long it is.

Walkers start at places that look like records, and step together by NumPy. The first starts at a record. Where it
lands exactly on the start of the second, the second started at a record too, and so on: what a wrong guess costs is
time.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

RECORDS_PER_WALKER = 96

FARTHEST_WALK = 256 << 10
"""Bytes between walkers at most, as records may turn out shorter than expected."""


def walk_lockstep(
    next_records: Callable[[Numbers], Numbers], position: int, guesses: Iterable[int], end: int
) -> Numbers:
    """Give the positions of the records from `position` on that are proven and begin before `end`, in order.

    `next_records` gives for positions of records those of the records behind them, and is asked about none at or
    behind `end`; `guesses` are positions of what look like records.
    """
    starts = np.array(sorted({start for start in (position, *guesses) if position <= start < end}), np.int64)
    targets = np.append(starts[1:], end)
    current, walkers = starts, np.arange(len(starts))
    arrived = np.zeros(len(starts), np.bool_)
    steps = []
    while len(current):
        steps.append(current)
        following = next_records(current)
        under_way = following < targets[walkers]
        if not under_way.all():
            arrived[walkers[following == targets[walkers]]] = True
            walkers, following = walkers[under_way], following[under_way]
        current = following
    # The walker that misses the next one's start is the last whose records are proven.
    arrived[-1] = False
    proven_end = targets[int(np.argmin(arrived))]
    found = np.concatenate(steps) if steps else starts
    found.sort()
    return found[: int(np.searchsorted(found, proven_end))]
