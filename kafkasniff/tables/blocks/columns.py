# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, initializedcheck=False
"""Columns of a table, and those whose values many rows have in common."""

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.tables.blocks.arrow import ArrowColumn, encoded

ROWS = 16_384
"""Rows of a block at most."""
MOST_COMMON = 4_096
"""Connections, and pairs of API and version, that have numbers at a time."""
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
