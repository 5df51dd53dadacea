"""The named questions: SQL in files, with what differs from case to case put in."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from kafkasniff.tables.declared import CALLS

_LISTS = {"topic": "topics", "group": "groups", "error": "error_names"}
"""Keys that are the elements of a list column of `calls`."""

WAITING = "api_name IN ('FETCH', 'JOIN_GROUP', 'SYNC_GROUP', 'SHARE_FETCH')"
"""Calls that wait on purpose, in SQL."""

INTERVAL = "interval_start"
"""A key: the beginning of the interval that the call began in."""

KEYS = (*_LISTS, *(column.name for column in CALLS.columns if not column.type.startswith("list")))
"""What calls may be grouped by."""


@cache
def _file(name: str) -> str:
    return (files(__package__) / f"{name}.sql").read_text(encoding="utf-8")


def text_of(name: str) -> str:
    """Give the SQL of a question, without the comment on top."""
    lines = _file(name).splitlines()
    return "\n".join(line for line in lines if not line.startswith("--"))


def keyed(name: str, keys: list[str], source: str = "calls", where: str = "", interval_us: int = 1) -> str:
    """Give the SQL of a question by keys, which are columns of `calls`, elements of its lists, or `INTERVAL`.

    `source` is what stands for `calls`, with such columns as it adds. Only calls for which `where` holds are counted;
    intervals have `interval_us` microseconds.
    """
    if where:
        source = f"(SELECT * FROM {source} WHERE {where}) AS calls"
    for key in keys:
        if key in _LISTS:
            source = f'(SELECT *, explode_outer({_LISTS[key]}) AS "{key}" FROM {source}) AS calls'
        elif key == INTERVAL:
            micros = f"CAST(floor(time_ns / {interval_us * 1000}) AS BIGINT) * {interval_us}"
            source = f'(SELECT *, timestamp_micros({micros}) AS "{key}" FROM {source}) AS calls'
    text = text_of(name).replace("{keys}", ", ".join(f'"{key}"' for key in keys)).replace("{calls}", source)
    by_topic = "topic" in keys
    return text.replace("{topic}", ", topic" if by_topic else "").replace(
        "{same_topic}", " AND calls.topic IS NOT DISTINCT FROM held.topic" if by_topic else ""
    )


def beside(keys: list[str], first: str, second: str, columns: Sequence[str]) -> str:
    """Give the SQL of two questions by the same keys as one: of the second only `columns`."""
    added = ", ".join(f'more."{column}"' for column in columns)
    same = " AND ".join(f'main."{key}" IS NOT DISTINCT FROM more."{key}"' for key in keys)
    return f"SELECT main.*, {added} FROM ({first}) AS main LEFT JOIN ({second}) AS more ON {same}"
