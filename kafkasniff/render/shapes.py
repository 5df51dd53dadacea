"""The shapes of bodies that were read as columns: how many elements arrays have, and which texts are empty or null."""

import numpy as np

from kafkasniff.protocol.body_columns import ArrayColumn, Columns, Numbers, RecordsColumn, TextColumn
from kafkasniff.render.gists.words import NAME_LENGTH
from kafkasniff.render.text_blocks import distinct

_LARGEST = 1 << 62


class Shapes:
    """A number for each row, equal for rows that are alike in all that was added."""

    def __init__(self, count: int) -> None:
        """Begin with rows that are all alike."""
        self._codes = np.zeros(count, np.int64)
        self._most = 1

    def add(self, values: Numbers) -> None:
        """Tell rows apart by a number from zero on."""
        most = int(values.max(initial=0)) + 1
        if most == 1:
            return
        if self._most * most >= _LARGEST:
            self.codes()
        self._codes = self._codes * most + values
        self._most *= most

    def codes(self) -> Numbers:
        """Give the number of each row, as small as may be."""
        found, self._codes = distinct(self._codes)
        self._most = len(found)
        return self._codes


def add_shapes(shapes: Shapes, columns: Columns, names: frozenset[str]) -> None:
    """Tell rows apart by the shapes of the fields with these names."""
    for name, column in columns.items():
        if name not in names:
            continue
        if isinstance(column, TextColumn):
            # Names are cut, so that long ones go together.
            shapes.add(np.sign(column.length) + 1 + (column.length > NAME_LENGTH))
        elif isinstance(column, RecordsColumn):
            shapes.add(np.sign(column.size) + 1)
        elif isinstance(column, ArrayColumn):
            shapes.add(column.count + 1)
            elements = Shapes(len(column.owner))
            add_shapes(elements, column.elements, names | {""})
            inner = np.append(elements.codes(), 0)
            for nth in range(int(column.count.max(initial=0))):
                there = column.count > nth
                shapes.add(np.where(there, inner[np.where(there, column.first + nth, -1)] + 1, 0))


def shape_of(columns: Columns, names: frozenset[str], row: int) -> tuple[object, ...]:
    """Give the shape of the fields with these names in one row, equal for rows that `add_shapes` finds alike."""
    found: list[object] = []
    for name, column in columns.items():
        if name not in names:
            continue
        if isinstance(column, TextColumn):
            length = column.length.item(row)
            found.append((length > 0) - (length < 0) + (length > NAME_LENGTH))
        elif isinstance(column, RecordsColumn):
            size = column.size.item(row)
            found.append((size > 0) - (size < 0))
        elif isinstance(column, ArrayColumn):
            count, first = column.count.item(row), column.first.item(row)
            elements = (shape_of(column.elements, names | {""}, first + nth) for nth in range(count))
            found.append((count, *elements))
    return tuple(found)
