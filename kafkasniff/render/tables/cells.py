"""Values as cells of CSV and of text with tabs."""

import csv
from base64 import b64encode
from collections.abc import Iterable
from datetime import datetime
from io import StringIO
from typing import Any

import orjson

from kafkasniff.render.words import escape

FORMULA_STARTS = "=+-@\t\r"
"""What makes a spreadsheet take a text for a formula (OWASP, CSV injection)."""


def csv_cell(value: object) -> str:
    """Give a value as a cell that no spreadsheet takes for a formula, and that has no control characters."""
    if isinstance(value, str):
        return escape(f"'{value}" if value.startswith(tuple(FORMULA_STARTS)) else value)
    if isinstance(value, list | dict):
        return escape(orjson.dumps(value, default=as_json).decode())
    return "" if value is None else str(plain_value(value))


def csv_line(cells: Iterable[str]) -> bytes:
    """Give cells as a line of CSV."""
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue().encode(errors="backslashreplace")


def tsv_line(cells: Iterable[str]) -> bytes:
    """Give cells, in which control characters were escaped, with tabs between them."""
    return ("\t".join(cells) + "\n").encode(errors="backslashreplace")


def as_json(value: object) -> Any:
    """Give what JSON has of a value that it does not know."""
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)


def plain_value(value: object) -> object:
    """Give a value as people write it."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value
