# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, initializedcheck=False
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

from kafkasniff.tables.arrow import ArrowColumn, ArrowField, Batch, encoded, export_stream
from kafkasniff.tables.declared import Table

_MOST_COLUMNS = 63
ROWS = 16_384
"""Rows of a block at most."""
_FULL = ROWS
MOST_COMMON = 4_096
"""Connections, and pairs of API and version, that have numbers at a time."""
_CALL_COLUMNS = 14
"""Columns that all tables have first whose rows are of calls; among them those of `OF_API`."""
_DIRECTION = 3
"""The first of those of them that each row has for itself: `direction`, `stream_offset`, `time`, `time_ns`."""
_TIME = _DIRECTION + 2
_TOGETHER = 64
"""Rows that are held row by row until each column takes its values of them; a power of two from 8 on."""
_ONE = 1
OF_CONNECTION = (
    *("vantage", "connection", "epoch", "client", "client_host", "server", "client_id"),
    *("security_protocol", "principal", "software_name", "software_version"),
)
"""Columns that the calls of a connection have in common; the last four in `calls` alone, beside each other there."""
OF_API = ("api_key", "api_name", "api_version")
"""Columns that the calls of an API in one version have in common."""

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

_CODES = {BYTES: "b", SHORTS: "h", INTS: "i", LONGS: "q", DOUBLES: "d", TEXTS: "i", LISTS: "i"}
_ZEROS = {kind: array(code, [0]) * (ROWS + 1) for kind, code in _CODES.items()}


def fields_of(table: Table) -> list[ArrowField]:
    """Give the columns of a table as those of a stream."""
    return [ArrowField(column.name, column.type) for column in table.columns]


@cython.final
@cython.cclass
class Column:
    """The values of a column, null until they are set; each text is held once."""

    def __init__(self, type_name: str, is_wanted: bool) -> None:
        """Begin without values; of a column that is not wanted none is kept."""
        self.kind = _KINDS[type_name]
        self.is_wanted = is_wanted
        rows = ROWS if is_wanted else 0
        self.filled = self.nulls = 0
        self.valid = bytearray(rows // 8)
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
        # To copy zeros is faster than to make an array of them.
        self.values = _ZEROS[self.kind][: rows + (self.kind == LISTS)]
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

    def take_numbers(self, row: int, count: int, numbers: Any, at: int, step: int) -> None:
        """Set the numbers or truth values of rows from `row` on, whose values are every `step`th from `at` on."""
        if self.kind == LONGS:
            for index in range(count):
                self._longs[row + index] = numbers[at + index * step]
        elif self.kind in (INTS, TEXTS):
            for index in range(count):
                self._ints[row + index] = numbers[at + index * step]
        elif self.kind == SHORTS:
            for index in range(count):
                self._shorts[row + index] = numbers[at + index * step]
        elif self.kind == BYTES:
            for index in range(count):
                self._bytes[row + index] = numbers[at + index * step]
        elif self.kind == BITS:
            for index in range(count):
                if numbers[at + index * step]:
                    self._bits[(row + index) >> 3] |= 1 << ((row + index) & 7)
        else:
            raise TypeError("expected a column of numbers")

    def take_reals(self, row: int, count: int, reals: Any, at: int, step: int) -> None:
        """Set numbers that are no integers, as `take_numbers` does."""
        for index in range(count):
            self._doubles[row + index] = reals[at + index * step]

    def fill(self, row: int) -> None:
        """Note that a row is not null."""
        self._valid[row >> 3] |= 1 << (row & 7)
        self.filled += 1

    def fill_all(self, row: int, count: int) -> None:
        """Note that rows from `row` on, a multiple of eight, are not null; none is set behind them yet."""
        for at in range(row >> 3, (row + count + 7) >> 3):
            self._valid[at] = 255
        self.filled += count

    def place_of(self, text: str) -> int:
        """Give the number of a text among those of the column, where it has texts."""
        if text is not self._last:
            self._last_place = self._place(text)
            self._last = text
        return self._last_place

    def _place(self, text: str) -> int:
        """Give the number of a text among those of the column."""
        found = self._places.get(text)
        if found is None:
            found = self._places[text] = len(self._places)
        return found

    def put_common(self, rows: int, places: Any, values: list[Any]) -> None:
        """Set the first `rows` rows, each to that of `values` whose number `places` has for it."""
        if self.kind == TEXTS and None not in values:
            self._places = dict(zip(values, range(len(values)), strict=True))
            if len(self._places) in (1, len(values)):
                # The numbers of the values are those of the texts; of one text all are 0.
                self.filled = rows
                self.values = self.values if len(self._places) == 1 else places
                self._places = {text: at for at, text in enumerate(self._places)}
                return
            self._places = {}
        view = places
        numbers = array("q", bytes(8 * len(values)))
        for at, value in enumerate(values):
            if value is not None:
                numbers[at] = self._place(value) if self.kind == TEXTS else value
        if None in values:
            for row in range(rows):
                at = view[row]
                if values[at] is not None:
                    self.fill(row)
                    if self.kind == SHORTS:
                        self._shorts[row] = numbers[at]
                    else:
                        self._ints[row] = numbers[at]
            return
        self.filled = rows
        if self.kind == SHORTS:
            for row in range(rows):
                self._shorts[row] = numbers[view[row]]
        else:
            for row in range(rows):
                self._ints[row] = numbers[view[row]]

    def put_texts(self, row: int, texts: Iterable[str]) -> None:
        """Set the texts of a list."""
        for text in texts:
            raw = self._encoded.get(text)
            if raw is None:
                raw = self._encoded[text] = encoded(text)
            self.elements.append(raw)
        self._ints[row + 1] = len(self.elements)

    def finish(self, rows: int) -> None:
        """End the column after so many rows."""
        if self.kind != LISTS:
            self.nulls = rows - self.filled
            return
        for row in range(rows):
            # The list of a row that was not set is empty.
            if self._ints[row + 1] == 0:
                self._ints[row + 1] = self._ints[row]

    def as_arrow(self) -> ArrowColumn:
        """Give the values as Arrow's interface takes them; the column has ended."""
        texts = [*self._places] if self.kind == TEXTS else None
        children = ((len(self.elements), _as_binary(self.elements)),) if self.kind == LISTS else ()
        return ArrowColumn(self.values, self.valid if self.nulls else None, self.nulls, texts, None, children)


def _as_binary(elements: list[bytes]) -> ArrowColumn:
    """Give bytes, none of which are null, as a column."""
    ends = array("i", bytes(4 * (len(elements) + 1)))
    view = ends
    end = 0
    for row in range(len(elements)):
        end += len(elements[row])
        view[row + 1] = end
    return ArrowColumn(ends, None, 0, data=bytearray(b"".join(elements) or b"\0"))


@cython.final
@cython.cclass
class Common:
    """Values that many rows have in common, and a number below `MOST_COMMON` that stands for them."""

    def __init__(self, number: int, values: tuple[Any, ...]) -> None:
        """Keep what is given."""
        self.number = number
        self.values = values


@cython.final
@cython.cclass
class CommonColumns:
    """Columns that are set at a block's end: until then each row has but the number of its values."""

    def __init__(self, columns: list[Column]) -> None:
        """Begin without rows."""
        self._columns = columns
        self._places_of_rows = array("i", bytes(4 * ROWS))
        self._places = self._places_of_rows
        self._numbers = array("i", [-1]) * MOST_COMMON
        self._used: list[tuple[Any, ...]] = []

    def put(self, row: int, common: Common) -> None:
        """Set which values a row has."""
        place = self._numbers[common.number]
        if place < 0:
            place = self._numbers[common.number] = len(self._used)
            self._used.append(common.values)
        self._places[row] = place

    def tally(self, rows: int, times: Any) -> list[tuple[tuple[Any, ...], int, int, int]]:
        """Give which values the first `rows` rows have, how many rows have them, and the first and last of `times`."""
        counts, firsts, lasts = (array("q", bytes(8 * len(self._used))) for _ in range(3))
        count, first, last = counts, firsts, lasts
        for row in range(rows):
            place = self._places[row]
            if count[place] == 0:
                first[place] = last[place] = times[row]
            count[place] += 1
            first[place] = min(first[place], times[row])
            last[place] = max(last[place], times[row])
        return [*zip(self._used, counts, firsts, lasts, strict=True)]

    def finish(self, rows: int) -> None:
        """Set the columns."""
        for column, values in zip(self._columns, zip(*self._used, strict=True), strict=False):
            if column.is_wanted:
                column.put_common(rows, self._places_of_rows, [*values])


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
        columns = [each for each in table.columns if wanted is None or each.name in wanted]
        self.fields = [ArrowField(each.name, each.type) for each in columns]
        self.columns = [Column(each.type, each in columns) for each in table.columns]
        self.length = 0
        self._at = 0
        self._batch: Batch | None = None
        self._is_finished = False
        if len(table.columns) > _MOST_COLUMNS:
            raise ValueError(f"{table.name}: expected {_MOST_COLUMNS} columns at most, found {len(table.columns)}")
        self._left_out = sum(1 << at for at, each in enumerate(table.columns) if each not in columns)
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
