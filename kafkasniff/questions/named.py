"""The named questions: SQL in files, with what differs from case to case put in."""

from functools import cache
from importlib.resources import files

from kafkasniff.tables.declared import CALLS

_LISTS = {"topic": "topics", "group": "groups", "error": "error_names"}
"""Keys that are the elements of a list column of `calls`."""

KEYS = (*_LISTS, *(column.name for column in CALLS.columns if not column.type.startswith("list")))
"""What calls may be grouped by."""


@cache
def _file(name: str) -> str:
    return (files(__package__) / f"{name}.sql").read_text(encoding="utf-8")


def text_of(name: str) -> str:
    """Give the SQL of a question, without the comment on top."""
    lines = _file(name).splitlines()
    return "\n".join(line for line in lines if not line.startswith("--"))


def meaning_of(name: str) -> str:
    """Say what a question answers."""
    lines = [line[2:].strip() for line in _file(name).splitlines() if line.startswith("--")]
    return " ".join(lines)


def keyed(name: str, keys: list[str], source: str = "calls") -> str:
    """Give the SQL of a question by keys, which are columns of `calls` or elements of its lists.

    `source` is what stands for `calls`, with such columns as it adds.
    """
    for key in keys:
        if key in _LISTS:
            source = f'(SELECT *, explode_outer({_LISTS[key]}) AS "{key}" FROM {source}) AS calls'
    return text_of(name).replace("{keys}", ", ".join(f'"{key}"' for key in keys)).replace("{calls}", source)
