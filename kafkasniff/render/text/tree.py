# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Decoded bodies as an indented tree for the terminal."""

from collections.abc import Sequence
from typing import Any

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from kafkasniff.protocol.names import camel_case
from kafkasniff.render.words import ELLIPSIS, escape

_MOST_ELEMENTS = 1000
"""Elements of one array that are shown; the JSON output has them all."""

_LONGEST_VALUE = 1024


def tree_lines(value: dict[str, Any], indent: int, width: int) -> list[str]:
    """Give a body line by line: plain fields side by side up to `width`, structs and arrays indented below."""
    lines: list[str] = []
    _add_struct(lines, value, " " * indent, " " * indent, width)
    return lines


def _add_struct(lines: list[str], struct: dict[str, Any], first: str, rest: str, width: int) -> None:
    """Add the lines of a struct; `first` stands before the first one, `rest` before the others."""
    line, start = "", first
    for name, value in struct.items():
        if isinstance(value, dict) or (isinstance(value, (list, tuple)) and value and isinstance(value[0], dict)):
            if line:
                lines.append(start + line)
                line, start = "", rest
            lines.append(f"{start}{escape(name)}:")
            start = rest
            _add_nested(lines, value, rest + "  ", width)
            continue
        text = f"{escape(name)}: {value_text(name, value)}"
        if line and len(start) + len(line) + 2 + len(text) > width:
            lines.append(start + line)
            line, start = "", rest
        line = f"{line}  {text}" if line else text
    if line or not struct:
        lines.append(start + (line or "{}"))


def _add_nested(lines: list[str], value: dict[str, Any] | Sequence[dict[str, Any]], indent: str, width: int) -> None:
    """Add the lines of a struct or of an array of structs."""
    if isinstance(value, dict):
        _add_struct(lines, value, indent, indent, width)
        return
    for element in value[:_MOST_ELEMENTS]:
        _add_struct(lines, element, indent + "- ", indent + "  ", width)
    if len(value) > _MOST_ELEMENTS:
        lines.append(f"{indent}{ELLIPSIS} {len(value) - _MOST_ELEMENTS:,} more")


def value_text(name: str, value: object) -> str:
    """Give the value of a field called `name` in a line, cut where it is long; codes and API keys with their names."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        if value and name.lower().endswith("errorcode"):
            known = ERROR_CODES.get(value)
            return f"{value} {known.name}" if known else str(value)
        if name == "apiKey" and value in APIS:
            return f"{value} {camel_case(APIS[value].name)}"
        return str(value)
    if isinstance(value, (list, tuple)):
        text = ", ".join([value_text(name, element) for element in value[:_MOST_ELEMENTS]])
        return f"[{text}]" if len(value) <= _MOST_ELEMENTS else f"[{text}, {ELLIPSIS} {len(value):,} in all]"
    text = str(value)
    more = f"{ELLIPSIS} ({len(text):,} characters)" if len(text) > _LONGEST_VALUE else ""
    return (escape(text[:_LONGEST_VALUE]) + more) or '""'
