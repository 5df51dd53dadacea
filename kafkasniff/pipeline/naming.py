"""Rows that name topics by ids of which no name is known yet: they are given their names once these are told."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from kafkasniff.calls.topics import KnownNames
from kafkasniff.pipeline.rows import Placed, Row

_NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"
"""Stands in messages for no topic (Uuid.ZERO_UUID)."""


class Mark(str):
    """In a row the place of the name that belongs to a topic id, which is the text."""

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
        if name is not None or topic_id == _NO_ID:
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
    """Give a row its names; null stands for those that are not known."""
    table, time, row = placed
    complete = True

    def name_of(value: str) -> str | None:
        nonlocal complete
        if not isinstance(value, Mark):
            return value
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
