"""What `stats` shows on a terminal beside its tables."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any

from kafkasniff.cli.terminal.output import print_text
from kafkasniff.questions.database import Answer, Database
from kafkasniff.questions.named import INTERVAL, text_of
from kafkasniff.render.tables.sparkline import sparkline
from kafkasniff.render.words import count_text

_MOST_INTERVALS = 10_000
"""Beyond these, intervals without calls are left out."""


def print_headline(database: Database) -> bool:
    """Say in a line what the calls are; tell whether there are any."""
    answer = database.ask(text_of("headline"))
    told = dict(zip(answer.columns, next(answer.rows), strict=True))
    calls = count_text(told["calls"], "call")
    if told["calls_per_s"] is not None:
        calls += f" in {told['seconds']:,.3f} s ({told['calls_per_s']:,.1f}/s)"
    words = [
        calls,
        count_text(told["clients"], "client"),
        count_text(told["brokers"], "broker"),
        count_text(told["topics"], "topic"),
        *(
            f"{told[name]:,} {text}"
            for name, text in (
                ("failed", "with errors"),
                ("unanswered", "unanswered"),
                ("half_captured", "of which the capture lacks one side"),
                ("throttled", "throttled"),
            )
            if told[name]
        ),
    ]
    print_text(", ".join(words) + "\n")
    return bool(told["calls"])


def over_time(answer: Answer, every: timedelta) -> Answer:
    """Put the intervals of each key, `every` long, into a row: sums, and bars over time."""
    at = answer.columns.index(INTERVAL)
    place = {name: answer.columns.index(name) for name in ("calls", "failed", "p99_ms")}
    found: defaultdict[tuple[Any, ...], dict[datetime, tuple[Any, ...]]] = defaultdict(dict)
    for row in answer.rows:
        found[row[:at]][row[at]] = row
    times = {time for of_key in found.values() for time in of_key}
    first = min(times, default=datetime.min)
    last = max((time - first) // every for time in times) if times else 0
    ordered = [first + every * number for number in range(last + 1)] if last < _MOST_INTERVALS else sorted(times)
    rows = []
    for key, of_key in found.items():
        calls, failed, slow = (
            [(of_key[time][index] or 0) if time in of_key else 0 for time in ordered] for index in place.values()
        )
        rows.append((*key, sum(calls), sparkline(calls), sum(failed), max(slow), sparkline(slow)))
    columns = [*answer.columns[:at], "calls", "calls over time", "failed", "max p99_ms", "p99_ms over time"]
    return Answer(columns, iter(rows))
