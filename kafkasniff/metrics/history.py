"""The last minute of totals: what came in its last seconds, how calls went over it, and what changed."""

from collections import deque
from itertools import pairwise
from typing import NamedTuple

from kafkasniff.metrics.breakdown import merged
from kafkasniff.metrics.lines import KEYS
from kafkasniff.metrics.state import State
from kafkasniff.metrics.totals import Snapshot

WINDOW_SECONDS = 10.0
"""What counts as now."""
STEP_SECONDS = 5.0
STEPS = 12
"""Of a minute."""
_LEAST_CALLS = 10.0
"""Fewer calls of a name in a minute are no reason to call it changed."""
_FACTOR = 2.0
_NOTABLE_FOR = {"error": 0, "api_name": 1, "server": 2, "topic": 3, "group": 4, "client_id": 5}
"""What is said first of changes of the same size."""


class Change(NamedTuple):
    """Something that is not as it was a minute ago."""

    kind: str
    """`new`, `silent`, `more` or `less`."""
    of: str
    """One of the names of `lines.KEYS`."""
    name: str
    before: float
    """Calls a second in the minute before the window …"""
    now: float
    """… and in it."""


class History:
    """Takes snapshots in order of time, and keeps of them what the last minute needs."""

    def __init__(self, first: Snapshot, state: State) -> None:
        """Begin with what there was at first."""
        self._window = deque([(first, state)])
        self._steps = deque([(first.time_ns, _calls(first))])
        self._first_ns = first.time_ns

    def add(self, snapshot: Snapshot, state: State) -> None:
        """Take a snapshot."""
        self._window.append((snapshot, state))
        while len(self._window) > 2 and _seconds(self._window[1][0].time_ns, snapshot.time_ns) >= WINDOW_SECONDS:
            self._window.popleft()
        if _seconds(self._steps[-1][0], snapshot.time_ns) >= STEP_SECONDS:
            self._steps.append((snapshot.time_ns, _calls(snapshot)))
            while len(self._steps) > STEPS + 1:
                self._steps.popleft()

    def now(self) -> tuple[Snapshot, float, State]:
        """Give what came in the window, how many seconds it has, and the state of the capture in it."""
        (before, state), (after, latest) = self._window[0], self._window[-1]
        return after.since(before), max(_seconds(before.time_ns, after.time_ns), 1e-3), latest.since(state)

    def steps(self, of: str, name: str) -> list[float]:
        """Give the calls of a name in each step of the minute."""
        counts = [calls[of].get(name, 0.0) for _, calls in self._steps]
        return [max(after - before, 0.0) for before, after in pairwise(counts)]

    def changes(self) -> list[Change]:
        """Give what changed in the last minute, the most notable first; none before two windows have passed."""
        came, seconds, _ = self.now()
        start_ns, before = self._steps[0]
        middle_ns = self._window[0][0].time_ns
        earlier = _seconds(start_ns, middle_ns)
        if earlier < WINDOW_SECONDS:
            return []
        middle = _calls(self._window[0][0])
        found = []
        for of, labels in KEYS:
            rows = merged(came.rows[labels], labels.index(of))
            names = {name for (name,) in rows} | middle[of].keys()
            for name in names:
                at_first, then = before[of].get(name, 0.0), middle[of].get(name, 0.0)
                calls = rows[(name,)]["calls"] if (name,) in rows else 0.0
                change = _change(of, name, then - at_first, earlier, calls, seconds, then == 0)
                found += [change] if change is not None else []
        return sorted(found, key=_notable)


def _change(
    of: str, name: str, before: float, earlier: float, calls: float, seconds: float, is_new: bool
) -> Change | None:
    """Compare calls in two times of some seconds each."""
    was, is_now = before / earlier, calls / seconds
    if calls and is_new:
        return Change("new", of, name, was, is_now)
    if max(calls, before) < _LEAST_CALLS:
        return None
    if not calls:
        return Change("silent", of, name, was, is_now)
    if is_now > was * _FACTOR:
        return Change("more", of, name, was, is_now)
    return Change("less", of, name, was, is_now) if is_now * _FACTOR < was else None


def _notable(change: Change) -> tuple[bool, bool, float, int, str]:
    largest = abs(change.now - change.before)
    return change.of != "error", change.kind not in ("new", "silent"), -largest, _NOTABLE_FOR[change.of], change.name


def _calls(snapshot: Snapshot) -> dict[str, dict[str, float]]:
    """Give the calls of each value of each key."""
    found: dict[str, dict[str, float]] = {}
    for of, labels in KEYS:
        at = labels.index(of)
        sums = found[of] = {}
        for key, row in snapshot.rows[labels].items():
            sums[key[at]] = sums.get(key[at], 0.0) + row["calls"]
    return found


def _seconds(before_ns: int, after_ns: int) -> float:
    return (after_ns - before_ns) / 1e9
