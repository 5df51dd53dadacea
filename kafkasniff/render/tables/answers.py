"""Answers of questions: as a table for people, as CSV, and as JSON lines."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from kafkasniff.protocol.names import camel_case
from kafkasniff.questions.database import Answer
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.tables.cells import as_json, csv_cell, csv_line, plain_value
from kafkasniff.render.tables.table import table_lines
from kafkasniff.render.terminal import terminal_width
from kafkasniff.render.words import show

FORMATS = ("table", "csv", "json", "markdown")

_ROWS_A_TABLE = 1_000
"""Rows whose widths are found out together."""
_LONGEST_CELL = 60
_API = "api_name"
"""The column with the name of an API."""
_JSON_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z

_NAMING = re.compile(r"(?:^|_)(?:code|epoch|generation|id|key|ns|offset|packet|partition|sequence|version)$")
"""Columns whose numbers only name something: they stand without commas, as other commands and queries take them."""

_MARKUP = re.compile(r"[\\`*{}\[\]<>()#!|~&]")
"""What Markdown (GitHub's) gives a meaning, within a cell; an underscore between letters has none."""


def for_people(answer: Answer) -> Answer:
    """Give an answer with the names of messages (`JoinGroup`) in place of those of Kafka's ApiKeys."""
    if _API not in answer.columns:
        return answer
    at = answer.columns.index(_API)
    rows = ((*row[:at], row[at] and camel_case(row[at]), *row[at + 1 :]) for row in answer.rows)
    return Answer(answer.columns, rows)


def answer_lines(answer: Answer, form: str) -> Iterator[bytes]:
    """Give an answer in one of `FORMATS`; a table is as wide as the terminal at most, one in Markdown any width."""
    if form == "json":
        for row in answer.rows:
            yield safe_line(orjson.dumps(dict(zip(answer.columns, row, strict=True)), as_json, _JSON_OPTIONS))
    elif form == "csv":
        yield csv_line(map(csv_cell, answer.columns))
        for row in answer.rows:
            yield csv_line(map(csv_cell, row))
    elif form == "markdown":
        yield _markdown_line(map(cell_text, answer.columns))
        yield _markdown_line(["---"] * len(answer.columns))
        for row in answer.rows:
            yield _markdown_line(_cells(answer.columns, row))
    else:
        while rows := list(islice(answer.rows, _ROWS_A_TABLE)):
            yield _table(answer.columns, rows)


def _markdown_line(cells: Any) -> bytes:
    """Give cells between bars; in them nothing is markup."""
    texts = [_MARKUP.sub(r"\\\g<0>", cell) if cell != "---" else cell for cell in cells]
    return f"| {' | '.join(texts)} |\n".encode(errors="backslashreplace")


def _table(columns: Any, rows: list[tuple[Any, ...]]) -> bytes:
    """Give rows under their headings; numbers stand on the right."""
    numbers = [
        any(isinstance(row[number], int | float) and not isinstance(row[number], bool) for row in rows)
        for number in range(len(columns))
    ]
    # Names of topics may be headings, and a query may give its columns any name.
    names = [cell_text(name) for name in columns]
    lines = table_lines(names, [_cells(columns, row) for row in rows], numbers, terminal_width())
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def _cells(columns: Any, row: tuple[Any, ...]) -> list[str]:
    return [
        str(value) if type(value) is int and _NAMING.search(name) else cell_text(value)
        for name, value in zip(columns, row, strict=True)
    ]


def cell_text(value: object) -> str:
    """Give a value of an answer as people read it, safe to show."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.3f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list):
        return show(", ".join(str(plain_value(each)) for each in value), _LONGEST_CELL)
    return show(plain_value(value), _LONGEST_CELL)
