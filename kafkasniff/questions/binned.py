"""Questions by bins of time: a span divided evenly, so that a day takes no more room than a minute."""

from typing import NamedTuple

from kafkasniff.questions.database import Database
from kafkasniff.questions.named import keyed

MOST_BINS = 240
"""A plot of 1,400 pixels shows about as many."""

_STEPS = (1, 2, 5)


class Bins(NamedTuple):
    """Bins of time."""

    start_ns: int
    """Since 1970 UTC, a multiple of the width."""
    width_ns: int
    number: int

    def wider(self) -> "Bins":
        """Give bins twice as wide, each of which covers whole ones of these."""
        width = self.width_ns * 2
        start = self.start_ns // width * width
        last = self.start_ns + self.width_ns * self.number - 1
        return Bins(start, width, (last - start) // width + 1)


def bins_of(first_ns: int, last_ns: int, most: int = MOST_BINS) -> Bins:
    """Divide the time from `first_ns` to `last_ns` into at most `most` bins of 1, 2 or 5 times a power of ten (ns)."""
    scale = 1
    while True:
        for step in _STEPS:
            width = step * scale
            start = first_ns // width * width
            number = (last_ns - start) // width + 1
            if number <= most:
                return Bins(start, width, number)
        scale *= 10


def bins_of_calls(database: Database) -> Bins | None:
    """Give bins for the calls of a database; None where there is no call."""
    [(first, last)] = database.ask("SELECT min(time_ns), max(time_ns) FROM calls").rows
    return None if first is None else bins_of(first, last)


def binned(name: str, bins: Bins, keys: list[str]) -> str:
    """Give the SQL of a question by `bin`, counted from 0, and by `keys` as `named.keyed` takes them."""
    number = f"CAST(floor((time_ns - {bins.start_ns}) / {bins.width_ns}) AS INT)"
    return keyed(name, ["bin", *keys], f"(SELECT *, {number} AS bin FROM calls) AS calls")
