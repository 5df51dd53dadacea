"""The values of many calls of one shape, by where they stand, of which one call is traced for all."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from kafkasniff.protocol.body_columns import (
    ArrayColumn,
    Buffer,
    Column,
    Columns,
    Marks,
    NumberColumn,
    Numbers,
    RecordsColumn,
    TextColumn,
)
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.records.batch_columns import read_batch_columns
from kafkasniff.render.call_bodies import CallBodies
from kafkasniff.render.traced import Trace, Traced, TracedNumber, TracedText, UntraceableError

Path = tuple[str | int, ...]
"""Where a value stands: the side, then names of fields and indexes of elements; of records a part of what is known."""


class Batches(NamedTuple):
    """What gists show of the batches in a column of records; of rows without records it means nothing."""

    column: RecordsColumn
    attributes: Numbers
    """The byte with the codec."""
    record_count: Numbers


def find_batches(buffer: Buffer, columns: Columns, owner: Numbers, odd: Marks) -> list[Batches]:
    """Find the batches in all columns of records, and mark messages in which one is no usual batch as `odd`.

    `owner`: for each row the index of its message.
    """
    found: list[Batches] = []
    for column in columns.values():
        if isinstance(column, RecordsColumn):
            filled = np.flatnonzero(column.size > 0)
            headers, unusual = read_batch_columns(buffer, column.at[filled], column.size[filled])
            odd[owner[filled[unusual]]] = True
            attributes, record_count = np.zeros((2, len(owner)), np.int64)
            attributes[filled], record_count[filled] = headers["attributes"] & 0xFF, headers["record_count"]
            found.append(Batches(column, attributes, record_count))
        elif isinstance(column, ArrayColumn):
            found += find_batches(buffer, column.elements, owner[column.owner], odd)
    return found


class Group:
    """Calls of one shape."""

    def __init__(self, bodies: CallBodies, batches: list[Batches], rows: Numbers, numbers: dict[int, Numbers]) -> None:
        """Take the bodies of many calls, and which rows are of this shape.

        `numbers` remembers, for all groups of these bodies, what was read, by the identity of its column.
        """
        self.buffer = bodies.buffer
        self.rows = rows
        self._batches = batches
        self._numbers = numbers
        self._found: dict[Path, tuple[Any, Numbers]] = {
            ("request",): (bodies.request, rows),
            ("response",): (bodies.response, rows),
        }

    def at(self, path: Path) -> tuple[Any, Numbers]:
        """Give the column at a place, or the columns of a struct there, and for each call its row in them."""
        found = self._found.get(path)
        if found is None:
            parent, rows = self.at(path[:-1])
            step = path[-1]
            if isinstance(parent, ArrayColumn):
                assert isinstance(step, int)
                found = parent.elements, parent.first[rows] + step
            elif isinstance(parent, RecordsColumn):
                batches = next(each for each in self._batches if each.column is parent)
                parts = {"size": parent.size, "attributes": batches.attributes, "count": batches.record_count}
                found = parts[str(step)], rows
            else:
                found = parent[step], rows
            self._found[path] = found
        return found

    def values(self, path: Path, chosen: Numbers | slice = slice(None)) -> Any:
        """Give numbers, or texts as a block, of some calls by their index."""
        column, rows = self.at(path)
        if isinstance(column, NumberColumn):
            numbers = self._numbers.get(id(column))
            if numbers is None:
                # Of all groups at once: most are small.
                numbers = self._numbers[id(column)] = column.values(self.buffer)
            return numbers[rows[chosen]]
        return (column.block if isinstance(column, TextColumn) else column)[rows[chosen]]


class TracedCall:
    """The first call of a group, traced."""

    def __init__(self, group: Group) -> None:
        """Begin with no value."""
        self.notes = Trace()
        self.values: list[Traced] = []
        """All of which something may be asked; their places are paths."""
        self.batches: list[tuple[Kind, SimpleNamespace]] = []
        """What a gist tells of the batches, each with its side."""
        self._group = group

    def body(self, path: Path, names: frozenset[str]) -> dict[str, Any]:
        """Give the fields with these names of the struct at a place, as a scan does, traced.

        Raises UntraceableError.
        """
        columns, rows = self._group.at(path)
        found = {}
        for name, column in columns.items():
            if name not in names:
                continue
            if isinstance(column, RecordsColumn) and column.size[rows[0]] >= 0:
                found[f"{name}SizeInBytes"] = self._records((*path, name))
            else:
                found[name] = self._value((*path, name), column, rows.item(0), names)
        return found

    def _value(self, path: Path, column: Column, row: int, names: frozenset[str]) -> Any:
        if isinstance(column, NumberColumn):
            if column.code in ("d", "16s"):
                raise UntraceableError
            number = self._number(path, column.value(self._group.buffer, row))
            return bool(number.fix()) if column.code == "?" else number
        if isinstance(column, TextColumn):
            length = column.length.item(row)
            if length <= 0:
                return None if length else ""
            text = TracedText(self.notes, path, column.block[row, :length].tobytes().decode())
            self.values.append(text)
            return text
        if isinstance(column, RecordsColumn):
            return None
        if not isinstance(column, ArrayColumn):
            raise UntraceableError
        count, first = column.count.item(row), column.first.item(row)
        if count < 0:
            return None
        if "" in column.elements:
            inner = column.elements[""]
            return [self._value((*path, nth, ""), inner, first + nth, names) for nth in range(count)]
        return [self.body((*path, nth), names) for nth in range(count)]

    def _number(self, path: Path, value: int) -> TracedNumber:
        number = TracedNumber(self.notes, path, value)
        self.values.append(number)
        return number

    def _records(self, path: Path) -> Any:
        size, attributes, count = (
            self._group.values((*path, part), slice(1)).item() for part in ("size", "attributes", "count")
        )
        if not size:
            return 0
        self.batches.append(
            (
                "request" if path[0] == "request" else "response",
                SimpleNamespace(
                    record_count=self._number((*path, "count"), count),
                    compression=self._number((*path, "attributes"), attributes),
                ),
            )
        )
        return self._number((*path, "size"), size)
