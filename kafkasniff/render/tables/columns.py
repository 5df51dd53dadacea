"""Calls by columns of one's choice: as a table, CSV, text with tabs, or JSON lines."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import orjson

from kafkasniff.calls.call import Call
from kafkasniff.capture.packets import Arrival
from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.fields import FIELDS
from kafkasniff.filters.tests import find_field
from kafkasniff.near_names import did_you_mean
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.headers import api_name
from kafkasniff.protocol.names import camel_case
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.tables.cells import as_json, csv_cell, csv_line, plain_value, tsv_line
from kafkasniff.render.text.clock import time_column
from kafkasniff.render.text.summaries.summary import Summaries
from kafkasniff.render.times import SinceFirst, utc_text
from kafkasniff.render.words import cells, duration_text, pad, shorten, show

USUAL: Final = (
    "number", "time", "client", "server", "client_id", "api", "version", "correlation_id", "latency", "outcome",
    "error", "topic", "group",
)  # fmt: skip
"""Columns where none are named."""

OWN: Final = {
    "number": "which call of the reading it is",
    "time": "when it ended, or began, as --time-of says",
    "summary": "what the list says of it",
}
"""Columns that no filter knows, or that show something else than what it compares."""

_WIDTHS: Final = {
    "number": 6, "time": 27, "client": 21, "server": 21, "host": 43, "connection": 43, "client_id": 20, "api": 20,
    "version": 7, "latency": 8, "outcome": 21, "error": 24, "topic": 24, "group": 20, "summary": 40,
}  # fmt: skip
"""Of columns of a table; a longer value widens its own line alone."""
_OTHER_WIDTH: Final = 12
_GAP: Final = "  "
_INDENT: Final = "    "
"""Before the columns of a call for which its first line has no room."""
_LONGEST_CELL: Final = 200
_JSON_OPTIONS: Final = orjson.OPT_APPEND_NEWLINE


class Column(NamedTuple):
    """What a column has of a call."""

    name: str
    kind: str
    read: Callable[[Call], Any]


class ColumnLines:
    """Gives the line of each call."""

    def __init__(self, names: Sequence[str], form: str, time: str, time_of: str, width: int | None) -> None:
        """Show the columns called so in the `form` table, csv, tsv or json; `width`: of the terminal, None: no end.

        `time`, `time_of`: as for `CallLines`. Raises FilterError for a column that is none.
        """
        self._summaries = Summaries()
        self._shows_requests = time_of == "request"
        self._absolute = time == "absolute"
        self._clock = time_column(time, 6)
        self._form = form
        self._width = width
        self._columns = [self._column(name) for name in names]
        self._widths = [max(_WIDTHS.get(name, _OTHER_WIDTH), len(name)) for name in names]
        self._groups = self._grouped()

    def heading(self) -> bytes:
        """Give the line with the names of the columns; nothing in JSON."""
        names = [column.name for column in self._columns]
        if self._form == "json":
            return b""
        return self._table_line(names) if self._form == "table" else self._separated(names)

    def line(self, call: Call) -> bytes:
        """Give the line of a call."""
        values = [_value(column.kind, column.read(call), self._form) for column in self._columns]
        if self._form == "json":
            found = dict(zip((column.name for column in self._columns), values, strict=True))
            return safe_line(orjson.dumps(found, as_json, _JSON_OPTIONS))
        if self._form == "table":
            return self._table_line([_cell(value) for value in values])
        return self._separated([csv_cell(_joined(value)) for value in values])

    def count_from(self, first_time: int) -> None:
        """Take the time of the capture's first packet, in ns since 1970, from which relative times count."""
        if isinstance(self._clock, SinceFirst) and self._clock.first is None:
            self._clock.first = first_time

    def _column(self, name: str) -> Column:
        if name == "number":
            return Column(name, "number", lambda call: call.number)
        if name == "time":
            return Column(name, "text", self._time)
        if name == "summary":
            return Column(name, "text", self._summaries.of)
        if name not in FIELDS and name.partition(".")[0] not in ("request", "response"):
            known = (*OWN, *FIELDS)
            near = (
                did_you_mean(name, known) or f"; there are {', '.join(dict.fromkeys(known))}, request.… and response.…"
            )
            raise FilterError(f"no column is called {name!r}{near}")
        field = find_field(name)
        if field.kind == "struct":
            raise FilterError(f"{name} holds other fields: name one of them")
        return Column(name, field.kind, field.read) if field.kind != "time" else Column(name, "text", self._ended)

    def _time(self, call: Call) -> str:
        return self._text(call.time if self._shows_requests else call.ended)

    def _ended(self, call: Call) -> str:
        return self._text(call.ended)

    def _text(self, arrival: Arrival) -> str:
        if self._absolute:
            return utc_text(arrival.time, arrival.interface.time_digits)
        return self._clock(arrival.time)

    def _separated(self, texts: Sequence[str]) -> bytes:
        return csv_line(texts) if self._form == "csv" else tsv_line(texts)

    def _table_line(self, texts: Sequence[str]) -> bytes:
        lines = []
        for number, group in enumerate(self._groups):
            indent = _INDENT if number else ""
            padded = (pad(texts[each], max(self._widths[each], cells(texts[each]))) for each in group)
            line = f"{indent}{_GAP.join(padded)}".rstrip()
            fits = self._width is None or cells(line) <= self._width
            lines += [line] if fits else self._packed(indent, [texts[each] for each in group])
        return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")

    def _grouped(self) -> list[list[int]]:
        """Give which columns stand in a line: all, unless the terminal has no room for them."""
        groups: list[list[int]] = [[]]
        used = -len(_GAP)
        for number, size in enumerate(self._widths):
            if groups[-1] and self._width is not None and used + len(_GAP) + size > self._width:
                groups.append([])
                used = len(_INDENT) - len(_GAP)
            groups[-1].append(number)
            used += len(_GAP) + size
        return groups

    def _packed(self, line: str, texts: Sequence[str]) -> list[str]:
        """Give lines with texts of which one is longer than its column; names are broken at commas only."""
        assert self._width is not None
        room = self._width - len(_INDENT)
        lines = []
        for text in texts:
            parts = [text] if cells(text) <= room else [f"{part}," for part in text.split(",")]
            parts[-1] = parts[-1] if len(parts) == 1 else parts[-1][:-1]
            for part in (shorten(each, room) for each in parts):
                longer = f"{line}{_GAP if line.strip() else ''}{part}"
                if cells(longer) > self._width:
                    lines.append(line)
                    longer = f"{_INDENT}{part}"
                line = longer
        return [*lines, line]


def _value(kind: str, value: Any, form: str) -> Any:
    """Give what a form has of a value; several, without repeats, as a list."""
    if isinstance(value, list | tuple):
        return [_value(kind, each, form) for each in dict.fromkeys(value)]
    if value is None:
        return None
    if kind == "api":
        name = api_name(value)
        return value if name is None else camel_case(name) if form == "table" else name
    if kind == "error":
        return error_name(value)
    if kind == "duration":
        return duration_text(value) if form == "table" else value / 1_000_000
    return value


def _joined(value: Any) -> Any:
    """Give several values as one text, and one as it is."""
    if isinstance(value, list) and len(value) == 1:
        return value[0]
    return ",".join(str(plain_value(each)) for each in value) if isinstance(value, list) else value


def _cell(value: Any) -> str:
    found = _joined(value)
    return "-" if found is None or found == "" else show(plain_value(found), _LONGEST_CELL)
