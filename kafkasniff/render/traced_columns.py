"""The values of many calls of one shape, of which one is traced for all."""

from collections.abc import Callable
from operator import ge, gt, lt, ne
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from kafkasniff.protocol.body_columns import (
    ArrayColumn,
    Block,
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
from kafkasniff.render.gists.words import NAME_LENGTH, name_text
from kafkasniff.render.layouts import memory_of
from kafkasniff.render.text_blocks import digits, row_texts, table, texts_of
from kafkasniff.render.traced import CLIENT_ID, Mark, Trace, Traced, TracedNumber, TracedText, UntraceableError

_TESTS: dict[str, Callable[[Any, int], Any]] = {"!=": ne, "<": lt, ">=": ge, ">": gt}

Clients = Callable[[Numbers], list[str | None]]
"""Gives the client ids of calls by their index."""


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


class _Place(NamedTuple):
    """Where the values of all calls are that a traced one stands for."""

    values: Callable[[Numbers], Any]
    """Gives them, as numbers or as a block, for rows of a column."""
    rows: Numbers
    """For each call its row."""


class TracedCalls:
    """Calls of one shape; the first is traced."""

    def __init__(self, buffer: Buffer, notes: Trace, batches: list[Batches]) -> None:
        """Begin with no value."""
        self.batch_headers: list[tuple[Kind, str, SimpleNamespace]] = []
        """The batches of the first call, as a gist asks for them."""
        self._buffer = buffer
        self.notes = notes
        self._batches = batches
        self._traced: list[Traced] = []

    def body(self, side: Kind, columns: Columns, names: frozenset[str], rows: Numbers) -> dict[str, Any]:
        """Give the fields with these names of the first of some structs, as a scan does, traced.

        `rows`: for each call the row of the struct. Raises UntraceableError.
        """
        found = {}
        for name, column in columns.items():
            if name not in names:
                continue
            if isinstance(column, RecordsColumn) and column.size[rows[0]] >= 0:
                found[f"{name}SizeInBytes"] = self._records(side, column, rows)
            else:
                found[name] = self._value(side, column, names, rows)
        return found

    def _value(self, side: Kind, column: Column, names: frozenset[str], rows: Numbers) -> Any:
        if isinstance(column, NumberColumn):
            if column.code in ("d", "16s"):
                raise UntraceableError
            first_value = column.value(self._buffer, rows.item(0))
            number = self._number(lambda chosen: column.values(self._buffer, chosen), rows, first_value)
            return bool(number.fix()) if column.code == "?" else number
        if isinstance(column, TextColumn):
            length = column.length.item(rows.item(0))
            if length <= 0:
                return None if length else ""
            value = column.block[rows[0], :length].tobytes().decode()
            text = TracedText(self.notes, _Place(column.block.__getitem__, rows), value)
            self._traced.append(text)
            return text
        if isinstance(column, RecordsColumn):
            return None
        if not isinstance(column, ArrayColumn):
            raise UntraceableError
        count, first = column.count.item(rows.item(0)), column.first[rows]
        if count < 0:
            return None
        if "" in column.elements:
            return [self._value(side, column.elements[""], names, first + nth) for nth in range(count)]
        return [self.body(side, column.elements, names, first + nth) for nth in range(count)]

    def _number(self, values: Callable[[Numbers], Numbers], rows: Numbers, first: int) -> TracedNumber:
        number = TracedNumber(self.notes, _Place(values, rows), first)
        self._traced.append(number)
        return number

    def _records(self, side: Kind, column: RecordsColumn, rows: Numbers) -> Any:
        size = self._number(column.size.__getitem__, rows, column.size.item(rows.item(0)))
        if not size.value:
            return 0
        batches = next(each for each in self._batches if each.column is column)
        attributes, count = (
            self._number(numbers.__getitem__, rows, numbers.item(rows.item(0)))
            for numbers in (batches.attributes, batches.record_count)
        )
        self.batch_headers.append((side, "", SimpleNamespace(record_count=count, compression=attributes)))
        return size

    def let_go(self) -> None:
        """Let go of all values, which hold each other and a whole batch: Python would find that much later."""
        self._traced.clear()
        self.notes.marks.clear()

    def like_the_first(self, count: int) -> Marks:
        """Tell which of the calls answer as the first does to what was asked of its values."""
        alike = np.ones(count, np.bool_)
        for value in self._traced:
            if not value.fixed and not value.tests:
                continue
            values = value.place.values(value.place.rows)
            if value.fixed:
                same = values == values[0]
                alike &= same if same.ndim == 1 else same.all(axis=1)
            else:
                for operator, number in value.tests:
                    test = _TESTS[operator]
                    alike &= test(values, number) == test(value.value, number)
        return alike

    def texts(self, mark: Mark, chosen: Numbers, clients: Clients) -> Block:
        """Give what stands at a mark in the gists of the `chosen` calls."""
        place: _Place = mark.value.place
        values, function = place.values(place.rows[chosen]), mark.function
        if isinstance(mark.value, TracedNumber):
            if function is None:
                return digits(values)
            return texts_of(values, memory_of(function, mark.more, False).__getitem__)
        assert function is not None
        if function is name_text and not np.count_nonzero(values[:, NAME_LENGTH:]):
            # What is plain stands for itself.
            names: Block = values[:, :NAME_LENGTH]
            return names
        texts = row_texts(values)
        if mark.more == (CLIENT_ID,):
            memory = memory_of(function, (), True)
            return table([memory[key].encode() for key in zip(texts, clients(chosen), strict=True)])
        memory = memory_of(function, mark.more, True)
        return table([memory[text].encode() for text in texts])
