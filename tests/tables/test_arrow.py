"""Columns of every type, taken by DuckDB through Arrow's C data interface."""

from typing import Any

import duckdb
import pytest

from kafkasniff.tables.blocks.arrow import ArrowField, column_of, export_stream

_STRUCTS = "list<struct<key: string, value: binary>>"
VALUES: dict[str, list[Any]] = {
    "bool": [True, None, False, False, True, True, False, True, True],
    "int8": [-128, None, 127],
    "int16": [-32768, None, 32767],
    "int32": [None, 1 << 30],
    "int64": [None, -(1 << 63), (1 << 63) - 1],
    "double": [0.5, None, -1.25],
    "string": ["a", None, "", "größe", "a", '"=1+1\x00\n'],
    "binary": [b"\x00\xff", None, b""],
    "list<string>": [["a", "b"], None, [], ["b", "b"]],
    _STRUCTS: [[{"key": "k", "value": b"\x00"}, {"key": "k", "value": None}], [], None],
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("times", [0, 1, 400])
def test_values_come_out_as_they_went_in(kind: str, times: int) -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return export_stream([ArrowField("it", kind)], iter([(len(values), [column_of(kind, values)])]))

    values = VALUES[kind] * times
    stream = Stream()
    assert [row[0] for row in duckdb.sql("select it from stream").fetchall()] == values
    assert stream is not None
