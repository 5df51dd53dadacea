# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, initializedcheck=False
"""Blocks of rows of a table, made from its declaration and filled in its order."""

from array import array
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.tables.blocks.arrow import ArrowField, Batch, export_stream
from kafkasniff.tables.blocks.columns import OF_API, OF_CONNECTION, ROWS, Column, Common, CommonColumns
from kafkasniff.tables.declared import Table

if not cython.compiled:
    from kafkasniff.tables.blocks.columns import DOUBLES

_MOST_COLUMNS = 63
_FULL = ROWS
_CALL_COLUMNS = 14
"""Columns that all tables have first whose rows are of calls; among them those of `OF_API`."""
_DIRECTION = 3
"""The first of those of them that each row has for itself: `direction`, `stream_offset`, `time`, `time_ns`."""
_TIME = _DIRECTION + 2
_TOGETHER = 64
"""Rows that are held row by row until each column takes its values of them; a power of two from 8 on."""
_ONE = 1


def fields_of(table: Table, wanted: Collection[str] | None = None) -> list[ArrowField]:
    """Give the columns of a table as those of a stream; with `wanted`, only those called so."""
    columns = [each for each in table.columns if wanted is None or each.name in wanted]
    return [ArrowField(each.name, each.type, each.nullable) for each in columns]


@cython.final
@cython.cclass
class Block:
    """Rows of a table of calls, `ROWS` at most; Arrow's consumers take them by `__arrow_c_stream__`.

    Columns get the values of `_TOGETHER` rows at a time: until then these lie row by row, each number in eight bytes,
    and a bit of each column says whether the row has a value.

    `begin_row` sets the columns that all such tables have first. From there on a row is written from left to right:
    `number`, `real`, `text` and `texts` set the next column of the row, `skip` passes over columns, which stay null or
    are of `OF_CONNECTION`, and `end_row` ends the row. IndexError where no room is left.
    """

    def __init__(self, table: Table, wanted: Collection[str] | None = None) -> None:
        """Begin without rows; with `wanted`, only the columns called so are kept."""
        self.table = table
        self.fields = fields_of(table, wanted)
        names = {each.name for each in self.fields}
        self.columns = [Column(each.type, each.name in names) for each in table.columns]
        self.length = 0
        self._at = 0
        self._batch: Batch | None = None
        self._is_finished = False
        if len(table.columns) > _MOST_COLUMNS:
            raise ValueError(f"{table.name}: expected {_MOST_COLUMNS} columns at most, found {len(table.columns)}")
        self._left_out = sum(1 << at for at, each in enumerate(table.columns) if each.name not in names)
        by_name = {each.name: column for each, column in zip(table.columns, self.columns, strict=True)}
        self._of_connection = CommonColumns([by_name[name] for name in OF_CONNECTION if name in by_name])
        self._of_api = CommonColumns([by_name[name] for name in OF_API])
        self._width = len(table.columns)
        held = array("q", bytes(8 * _TOGETHER * self._width))
        self._numbers = held
        self._reals = memoryview(held).cast("B").cast("d")
        self._filled_of_rows = array("Q", bytes(8 * _TOGETHER))
        self._filled_of_row = self._filled_of_rows
        self._filled = 0
        self._held = self._start = 0

    def __len__(self) -> int:
        """Give the number of rows."""
        return self.length

    def begin_row(self, connection: Common, api: Common, direction: str, stream_offset: int, time_ns: int) -> None:
        """Set the columns that all tables have whose rows are of calls; `connection` and `api` have theirs in order."""
        row = self.length
        self._of_connection.put(row, connection)
        self._of_api.put(row, api)
        self._at = _DIRECTION
        self.text(direction)
        self.number(stream_offset)
        self.number(time_ns // 1000)
        self.number(time_ns)
        self._at = _CALL_COLUMNS

    def skip(self, columns: int) -> None:
        """Pass over columns."""
        self._at += columns

    def number(self, value: int) -> None:
        """Set a number, a truth value, or a time in microseconds."""
        self._numbers[self._start + self._at] = value
        self._filled |= _ONE << self._at
        self._at += 1

    def real(self, value: float) -> None:
        """Set a number that is no integer."""
        self._reals[self._start + self._at] = value
        self._filled |= _ONE << self._at
        self._at += 1

    def text(self, value: str | None) -> None:
        """Set a text."""
        if value is None or self._left_out >> self._at & 1:
            self._at += 1
        else:
            column = self.columns[self._at]
            self.number(column.place_of(value))

    def texts(self, values: Iterable[str]) -> None:
        """Set a list of texts."""
        at = self._at
        self._at += 1
        if not self._left_out >> at & 1:
            column = self.columns[at]
            column.put_texts(self.length, values)

    def end_row(self) -> bool:
        """End the row; tell whether the block is full."""
        if self._at != self._width:
            raise ValueError(f"{self.table.name}: expected {self._width} columns, found {self._at}")
        self._filled_of_row[self._held] = self._filled
        self._at = self._filled = 0
        self.length += 1
        self._held += 1
        self._start += self._width
        if self._held == _TOGETHER:
            self._hand_over()
        return self.length == _FULL

    def _hand_over(self) -> None:
        """Give the columns the values of the rows that are held."""
        in_all = ~self._left_out
        in_any = 0
        for held in range(self._held):
            in_all &= self._filled_of_row[held]
            in_any |= self._filled_of_row[held]
        in_any &= ~self._left_out
        row = self.length - self._held
        for at in range(self._width):
            if not in_any >> at & 1:
                continue
            column = self.columns[at]
            if in_all >> at & 1:
                column.fill_all(row, self._held)
            else:
                for held in range(self._held):
                    if self._filled_of_row[held] >> at & 1:
                        column.fill(row + held)
                    else:
                        self._numbers[held * self._width + at] = 0
            if column.kind == DOUBLES:
                column.take_reals(row, self._held, self._reals, at, self._width)
            else:
                column.take_numbers(row, self._held, self._numbers, at, self._width)
        self._held = self._start = 0

    def finish(self) -> None:
        """Set the columns that rows have in common; no rows may be added any more."""
        if not self._is_finished:
            self._is_finished = True
            self._hand_over()
            self._of_connection.finish(self.length)
            self._of_api.finish(self.length)
            for column in self.columns:
                if column.is_wanted:
                    column.finish(self.length)

    def tally(self) -> list[tuple[tuple[Any, ...], int, int, int]]:
        """Give the values of `OF_CONNECTION` that rows have, the count of these rows, and their first and last time."""
        column = self.columns[_TIME]
        return self._of_connection.tally(self.length, column.values)

    def as_batch(self) -> Batch:
        """Give the rows as Arrow's interface takes them; none may be added any more."""
        if self._batch is None:
            self.finish()
            self._batch = self.length, [each.as_arrow() for each in self.columns if each.is_wanted]
        return self._batch

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the rows as an Arrow stream of one batch; another schema than that of the table is not made."""
        return export_stream(self.fields, iter([self.as_batch()]))
