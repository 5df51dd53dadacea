"""Filters: which calls, gaps and connections are wanted."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.filters.predicates import Predicate, all_of
from kafkasniff.tcp.events import Connection

_MOST_SHOWN = 10
"""Values that are named of those that were met."""

Tally = list[tuple[bool, list[str]]]


class Summary(Protocol):
    """Where it is noted how much a filter let through."""

    first_time: int | None
    matched: int | None
    values_seen: str


class Filter:
    """Tells of calls, gaps, SASL tokens and connection reports whether they are wanted."""

    def __init__(self, where: str | None = None, predicates: Iterable[Predicate] = ()) -> None:
        """Want what `where`, an expression (docs/filters.md), and all of `predicates` hold for.

        Without any of these all is wanted. Raises FilterError for an expression that is none.
        """
        found = [*predicates]
        if where is not None:
            from kafkasniff.filters.grammar import parse  # Lark takes longer to import than a small capture to read

            found.append(parse(where))
        self.wants_all = not found
        whole = all_of(found)
        self.holds: Callable[[Call], bool] | None = None if self.wants_all else whole.holds
        """Tells of a call whether it is wanted; None where all is."""
        self._holds, self._values, self._moments = whole.holds, whole.values, whole.moments
        self._of_calls = whole.of_calls
        self._first: int | None = None
        self._judged: set[Connection] = set()

    def start_at(self, first: int | None) -> None:
        """Take the time of the capture's first packet, in ns since 1970, which times may be counted from."""
        if first != self._first and first is not None:
            self._first = first
            for moment in self._moments:
                moment.start_at(first)

    def wants(self, item: Any) -> bool:
        """Tell whether an item is wanted; what is no call is where nothing is asked about calls."""
        return (isinstance(item, Call) or not self._of_calls) and self._holds(item)

    def of(self, items: Iterable[Item], summary: Summary) -> Iterator[Item]:
        """Give those items that are wanted, and note in the summary how many calls these are."""
        if self.wants_all:
            yield from items
            return
        self.start_at(summary.first_time)
        for item in items:
            if self.wants(item):
                self.count(isinstance(item, Call), summary)
                yield item
        self.close(summary)

    def count(self, calls: int, summary: Summary) -> None:
        """Note that so many calls are wanted."""
        summary.matched = (summary.matched or 0) + calls

    def close(self, summary: Summary) -> None:
        """Note what there was where no call was wanted."""
        summary.matched = summary.matched or 0
        summary.values_seen = "" if summary.matched else self.seen()

    def judged(self, items: Iterable[Item], summary: Summary) -> Iterator[Item]:
        """Give the items that rules should take: those wanted, and all that is no call of connections with such calls.

        Notes in the summary how many calls these are.
        """
        return iter(items) if self.wants_all else self._judged_of(items, summary)

    def _judged_of(self, items: Iterable[Item], summary: Summary) -> Iterator[Item]:
        for item in items:
            self.start_at(summary.first_time)
            wanted = self.wants(item)
            if isinstance(item, Call):
                if not wanted:
                    continue
                self.count(1, summary)
                self._judged.add(item.connection)
            if wanted or item.connection in self._judged:
                yield item
            if isinstance(item, ConnectionReport):
                self._judged.discard(item.connection)
        self.close(summary)

    def tally(self) -> Tally:
        """Give of each field that was compared whether any value passed, and the values that were met."""
        return [values.tally() for values in self._values]

    def add(self, tally: Tally) -> None:
        """Take the tally of the same filter in another process."""
        for values, (has_matched, met) in zip(self._values, tally, strict=True):
            values.add(has_matched, met)

    def seen(self) -> str:
        """Say of fields of which no value passed which were met, as `; topics seen: orders, payments`."""
        text = ""
        for values in self._values:
            has_matched, met = values.tally()
            if met and not has_matched:
                others = f" and {len(met) - _MOST_SHOWN:,} more" if len(met) > _MOST_SHOWN else ""
                text += f"; {values.what} seen: {', '.join(met[:_MOST_SHOWN])}{others}"
        return text


def as_filter(where: str | Filter | None) -> Filter:
    """Give the filter of an expression; raises FilterError where it is none."""
    return where if isinstance(where, Filter) else Filter(where)
