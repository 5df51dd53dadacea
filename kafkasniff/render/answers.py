"""Answers of questions: as a table for people, as CSV, and as JSON lines."""

import csv
from base64 import b64encode
from collections.abc import Iterator
from datetime import datetime
from io import StringIO
from itertools import islice
from typing import Any

import orjson

from kafkasniff.questions.database import Answer
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.table import table_lines
from kafkasniff.render.terminal import terminal_width
from kafkasniff.render.words import escape, show

FORMATS = ("table", "csv", "json")

_ROWS_A_TABLE = 1_000
"""Rows whose widths are found out together."""
_LONGEST_CELL = 60
_JSON_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z

FORMULA_STARTS = "=+-@\t\r"
"""What makes a spreadsheet take a text for a formula (OWASP, CSV injection)."""


def answer_lines(answer: Answer, form: str) -> Iterator[bytes]:
    """Give an answer in one of `FORMATS`; a table is as wide as the terminal at most."""
    if form == "json":
        for row in answer.rows:
            yield safe_line(orjson.dumps(dict(zip(answer.columns, row, strict=True)), _as_json, _JSON_OPTIONS))
    elif form == "csv":
        yield _csv_line(answer.columns)
        for row in answer.rows:
            yield _csv_line(map(csv_cell, row))
    else:
        while rows := list(islice(answer.rows, _ROWS_A_TABLE)):
            yield _table(answer.columns, rows)


def csv_cell(value: object) -> str:
    """Give a value as a cell that no spreadsheet takes for a formula, and that has no control characters."""
    if isinstance(value, str):
        return escape(f"'{value}" if value.startswith(tuple(FORMULA_STARTS)) else value)
    if isinstance(value, list | dict):
        return escape(orjson.dumps(value, default=_as_json).decode())
    return "" if value is None else str(_plain(value))


def _csv_line(cells: Any) -> bytes:
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue().encode(errors="backslashreplace")


def _as_json(value: object) -> Any:
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value


def _table(columns: Any, rows: list[tuple[Any, ...]]) -> bytes:
    """Give rows under their headings; numbers stand on the right."""
    numbers = [
        any(isinstance(row[number], int | float) and not isinstance(row[number], bool) for row in rows)
        for number in range(len(columns))
    ]
    names = [escape(str(name)) for name in columns]
    lines = table_lines(names, [[*map(_cell, row)] for row in rows], numbers, terminal_width())
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.3f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list):
        return show(", ".join(str(_plain(each)) for each in value), _LONGEST_CELL)
    return show(_plain(value), _LONGEST_CELL)
