# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Columns of a table and blocks of its rows, made from the table's declaration and filled in its order."""

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

from kafkasniff.tables.arrow import ArrowColumn, ArrowField, Batch, column_of, encoded, export_stream
from kafkasniff.tables.declared import Table

_MOST_COLUMNS = 63
ROWS = 16_384
"""Rows of a block at most."""

BITS, BYTES, SHORTS, INTS, LONGS, DOUBLES, TEXTS, LISTS = range(8)

_KINDS = {
    "bool": BITS,
    "int8": BYTES,
    "int16": SHORTS,
    "int32": INTS,
    "int64": LONGS,
    "timestamp[us, tz=UTC]": LONGS,
    "double": DOUBLES,
    "string": TEXTS,
    "list<string>": LISTS,
}
"""How the values of a type are held: in so many bytes, texts and the ends of lists as numbers of 32 bits."""

_ARRAYS = {BYTES: ("b", 1), SHORTS: ("h", 2), INTS: ("i", 4), LONGS: ("q", 8), DOUBLES: ("d", 8), TEXTS: ("i", 4)}


def fields_of(table: Table) -> list[ArrowField]:
    """Give the columns of a table as those of a stream."""
    return [ArrowField(column.name, column.type) for column in table.columns]


@cython.final
@cython.cclass
class Column:
    """The values of a column, set from the first row on; each text is held once."""

    def __init__(self, type_name: str, is_wanted: bool) -> None:
        """Begin without values; of a column that is not wanted none is kept."""
        self.kind = _KINDS[type_name]
        self.is_wanted = is_wanted
        rows = ROWS if is_wanted else 0
        self.nulls = 0
        self.valid = bytearray(b"\xff" * (rows // 8))
        self._valid = self.valid
        self._places: dict[str, int] = {}
        self._last: str | None = None
        self._last_place = 0
        self.elements: list[bytes] = []
        self._encoded: dict[str, bytes] = {}
        nothing: Any = None
        self._bits = self._bytes = self._shorts = self._ints = self._longs = self._doubles = nothing
        if self.kind == BITS:
            self.values: Any = bytearray(rows // 8)
            self._bits = self.values
            return
        code, size = _ARRAYS.get(self.kind, ("i", 4))
        self.values = array(code, bytes(size * (rows + (self.kind == LISTS))))
        if self.kind == BYTES:
            self._bytes = self.values
        elif self.kind == SHORTS:
            self._shorts = self.values
        elif self.kind == LONGS:
            self._longs = self.values
        elif self.kind == DOUBLES:
            self._doubles = self.values
        else:
            self._ints = self.values

    def put_null(self, row: int) -> None:
        """Make a row null; a list is empty then."""
        if not self.is_wanted:
            return
        if self.kind == LISTS:
            self._ints[row + 1] = self._ints[row]
            return
        self._valid[row >> 3] &= 0xFF ^ (1 << (row & 7))
        self.nulls += 1

    def put_number(self, row: int, value: int) -> None:
        """Set the number or truth value of a row."""
        if not self.is_wanted:
            return
        if self.kind == LONGS:
            self._longs[row] = value
        elif self.kind == INTS:
            self._ints[row] = value
        elif self.kind == SHORTS:
            self._shorts[row] = value
        elif self.kind == BYTES:
            self._bytes[row] = value
        elif self.kind == BITS:
            if value:
                self._bits[row >> 3] |= 1 << (row & 7)
        else:
            raise TypeError("expected a column of numbers")

    def put_double(self, row: int, value: float) -> None:
        """Set the number of a row."""
        if self.is_wanted:
            self._doubles[row] = value

    def put_text(self, row: int, text: str | None) -> None:
        """Set the text of a row."""
        if not self.is_wanted:
            return
        if text is None:
            self.put_null(row)
            return
        if text is not self._last:
            found = self._places.get(text)
            if found is None:
                self._last_place = len(self._places)
                self._places[text] = self._last_place
            else:
                self._last_place = found
            self._last = text
        self._ints[row] = self._last_place

    def put_texts(self, row: int, texts: Iterable[str]) -> None:
        """Set the texts of a list."""
        if not self.is_wanted:
            return
        for text in texts:
            raw = self._encoded.get(text)
            if raw is None:
                raw = self._encoded[text] = encoded(text)
            self.elements.append(raw)
        self._ints[row + 1] = len(self.elements)

    def as_arrow(self) -> ArrowColumn:
        """Give the values as Arrow's interface takes them."""
        texts = [*self._places] if self.kind == TEXTS else None
        children = ((len(self.elements), column_of("binary", self.elements)),) if self.kind == LISTS else ()
        return ArrowColumn(self.values, self.valid if self.nulls else None, self.nulls, texts, None, children)


@cython.final
@cython.cclass
class Block:
    """Rows of a table, `ROWS` at most; Arrow's consumers take them by `__arrow_c_stream__`.

    A row is written from left to right: `number`, `real`, `text`, `texts` and `null` set the next column of the row,
    and `end_row` ends it. IndexError where no room is left.
    """

    def __init__(self, table: Table, wanted: Collection[str] | None = None) -> None:
        """Begin without rows; with `wanted`, only the columns called so are kept."""
        self.table = table
        columns = [each for each in table.columns if wanted is None or each.name in wanted]
        self.fields = [ArrowField(each.name, each.type) for each in columns]
        self.columns = [Column(each.type, each in columns) for each in table.columns]
        self.length = 0
        self._at = 0
        self._batch: Batch | None = None
        if len(table.columns) > _MOST_COLUMNS:
            raise ValueError(f"{table.name}: expected {_MOST_COLUMNS} columns at most, found {len(table.columns)}")
        self._left_out = sum(1 << at for at, each in enumerate(table.columns) if each not in columns)

    def __len__(self) -> int:
        """Give the number of rows."""
        return self.length

    def _next(self) -> Column:
        column = self.columns[self._at]
        self._at += 1
        return column

    def _passes(self) -> bool:
        """Pass over the next column if it is not wanted; tell whether it is so."""
        if self._left_out >> self._at & 1 == 0:
            return False
        self._at += 1
        return True

    def null(self) -> None:
        """Set nothing; a list is empty then."""
        if self._passes():
            return
        self._next().put_null(self.length)

    def number(self, value: int) -> None:
        """Set a number, a truth value, or a time in microseconds."""
        if self._passes():
            return
        self._next().put_number(self.length, value)

    def real(self, value: float) -> None:
        """Set a number that is no integer."""
        if self._passes():
            return
        self._next().put_double(self.length, value)

    def text(self, value: str | None) -> None:
        """Set a text."""
        if self._passes():
            return
        self._next().put_text(self.length, value)

    def texts(self, values: Iterable[str]) -> None:
        """Set a list of texts."""
        if self._passes():
            return
        self._next().put_texts(self.length, values)

    def end_row(self) -> bool:
        """End the row; tell whether the block is full."""
        if self._at != len(self.columns):
            raise ValueError(f"{self.table.name}: expected {len(self.columns)} columns, found {self._at}")
        self._at = 0
        self.length += 1
        return self.length == ROWS

    def as_batch(self) -> Batch:
        """Give the rows as Arrow's interface takes them; none may be added any more."""
        if self._batch is None:
            self._batch = self.length, [each.as_arrow() for each in self.columns if each.is_wanted]
        return self._batch

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the rows as an Arrow stream of one batch; another schema than that of the table is not made."""
        return export_stream(self.fields, iter([self.as_batch()]))
