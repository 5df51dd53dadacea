"""Rows that name topics by ids of which no name is known yet: they are given their names once these are told."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

import pyarrow as pa

from kafkasniff.calls.enrichment.topics import NO_ID, KnownNames
from kafkasniff.pipeline.follow.carry import Saved, load, save
from kafkasniff.pipeline.rows.output import TableWriter, Written
from kafkasniff.pipeline.tasks import result_batch, task_of_worker, work_in
from kafkasniff.tables.rows import Placed, Row
from kafkasniff.typed_json import to_json

MOST_UNNAMED = 50_000
"""Rows that wait together for the names of their topics."""
_ID_LENGTH = len(NO_ID)


class Mark(str):
    """In a row the place of the name that belongs to a topic id, which is the text."""

    __slots__ = ()

    def __add__(self, rest: str) -> "MarkedPlace":
        """Give the place of the name with a text behind it."""
        return MarkedPlace(str(self) + rest)


class MarkedPlace(Mark):
    """In a row the place of a name with a text behind it: a topic id, then that text."""

    __slots__ = ()


class MarkedNames(KnownNames):
    """Names of topic ids, with a mark where one is not known."""

    __slots__ = ("_known", "lacking")

    def __init__(self, known: KnownNames) -> None:
        """Know those of `known`."""
        super().__init__({}, 0)
        self._known = known
        self.lacking = False
        """Whether a mark was given."""

    def get(self, topic_id: str) -> str | None:
        """Give the name of a topic id, or its mark."""
        name = self._known.get(topic_id)
        if name is not None or topic_id == NO_ID:
            return name
        self.lacking = True
        return Mark(topic_id)

    def known(self) -> dict[str, str]:
        """Give all names by topic id."""
        return self._known.known()


class Named(NamedTuple):
    """A row, with names in the place of marks as far as they are known."""

    placed: Placed
    complete: bool


def named(placed: Placed, names: dict[str, str]) -> Named:
    """Give a row its names; null stands for those that are not known, but with a text behind them the topic id."""
    table, time, row = placed
    complete = True

    def name_of(value: str) -> str | None:
        nonlocal complete
        if not isinstance(value, Mark):
            return value
        if isinstance(value, MarkedPlace):
            topic_id, rest = value[:_ID_LENGTH], value[_ID_LENGTH:]
            complete = complete and topic_id in names
            return names.get(topic_id, topic_id) + rest
        complete = complete and value in names
        return names.get(value)

    return Named((table, time, _filled(row, name_of)), complete)


def _filled(row: Row, name_of: Callable[[str], str | None]) -> Row:
    values: list[Any] = []
    for value in row:
        if isinstance(value, Mark):
            values.append(name_of(value))
        elif isinstance(value, list) and any(isinstance(each, Mark) for each in value):
            values.append(_each_once(name_of(each) for each in value))
        else:
            values.append(value)
    return tuple(values)


def _each_once(names: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name is not None))


@dataclass(frozen=True, slots=True)
class NamingWork:
    """Rows that lack names, and wait together."""

    what: str
    """Which these are."""
    saved: Sequence[Saved]
    """The oldest first."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """What became of rows that lacked names."""

    what: str
    complete: list[Written]
    """Those that have all now, or are given up."""
    incomplete: list[Written]
    """The others, as they stand."""
    saved: Saved | None
    """These."""
    given_up: int
    """Rows that no longer wait, as there are too many."""


@dataclass(frozen=True, slots=True)
class NameTask:
    """Gives rows the names that are known by now."""

    names: dict[str, str]
    """By topic id."""
    work: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take `NamingWork` as JSON; give a `Renamed` for each."""
        with task_of_worker():
            for work in work_in(batches, NamingWork):
                yield result_batch(to_json(self._name(work), Renamed))

    def _name(self, work: NamingWork) -> Renamed:
        rows: list[Placed] = [row for saved in work.saved for row in load(self.work, saved)]
        name = uuid4().hex[:12]
        complete, incomplete = TableWriter(self.work, f"named-{name}"), TableWriter(self.work, f"unnamed-{name}")
        found = [named(row, self.names) for row in rows]
        waiting = [index for index, each in enumerate(found) if not each.complete]
        given_up = waiting[: max(len(waiting) - MOST_UNNAMED, 0)]
        kept = waiting[len(given_up) :]
        incomplete.add(found[index].placed for index in kept)
        still = set(kept)
        complete.add(each.placed for index, each in enumerate(found) if index not in still)
        saved = save(self.work, [rows[index] for index in kept]) if kept else None
        return Renamed(work.what, complete.close(), incomplete.close(), saved, len(given_up))
