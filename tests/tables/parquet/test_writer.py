"""Files of the writer, as pyarrow, DuckDB and Polars read them."""

import io
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafkasniff.tables.arrow import ArrowField, column_of
from kafkasniff.tables.parquet.writer import ParquetFile

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
TYPES: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "int8": st.integers(-(1 << 7), (1 << 7) - 1),
    "int16": st.integers(-(1 << 15), (1 << 15) - 1),
    "int32": st.integers(-(1 << 31), (1 << 31) - 1),
    "int64": st.integers(-(1 << 63), (1 << 63) - 1),
    "double": st.floats(allow_nan=False),
    "string": _TEXTS,
    "binary": st.binary(max_size=5),
    "list<string>": st.lists(_TEXTS, max_size=3),
    "list<struct<key: string, value: binary>>": st.lists(
        st.fixed_dictionaries({"key": st.none() | _TEXTS, "value": st.none() | st.binary(max_size=5)}), max_size=3
    ),
}


def written(kind: str, *blocks: list[Any]) -> bytes:
    stream = io.BytesIO()
    stream.close = lambda: None  # type: ignore[method-assign]
    file = ParquetFile(stream, [ArrowField("x", kind)])
    for values in blocks:
        file.write((len(values), [column_of(kind, values)]))
    file.close()
    return stream.getvalue()


@pytest.mark.parametrize("kind", TYPES)
def test_what_is_written_is_read(kind: str) -> None:
    values = TYPES[kind] if kind.startswith("list") else st.none() | TYPES[kind]

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(values, max_size=40), st.lists(values, max_size=20))
    def check(first: list[Any], second: list[Any]) -> None:
        data = written(kind, first, second)
        assert pq.read_table(io.BytesIO(data)).column("x").to_pylist() == first + second
        if not kind.startswith("list<struct"):
            assert polars.read_parquet(data)["x"].to_list() == first + second

    check()


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("int64", [*range(1_000), -(1 << 63), (1 << 63) - 1, 0] * 20),
        ("int32", [-(1 << 31), (1 << 31) - 1, None, 7] * 3_000),
        ("string", ["'; DROP TABLE calls; --", '"', "\x00\x1b[2J", "x" * 10_000, None, "=cmd()"] * 2_000),
        ("list<string>", [["a", "b"], [], ["c"] * 200] * 500),
        ("double", [0.1 * row for row in range(10_000)]),
    ],
)
def test_duckdb_reads_long_columns(tmp_path: Path, kind: str, values: list[Any]) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(written(kind, values, values[:10]))
    assert [x for (x,) in duckdb.sql(f"SELECT x FROM '{path}'").fetchall()] == values + values[:10]


def test_times_are_of_utc_and_a_file_without_rows_is_one() -> None:
    table = pq.read_table(io.BytesIO(written("timestamp[us, tz=UTC]", [0, None, 1_795_221_488_759_105])))
    assert str(table.schema.field("x").type) == "timestamp[us, tz=UTC]"
    assert [None if each is None else each.isoformat() for each in table.column("x").to_pylist()] == [
        "1970-01-01T00:00:00+00:00",
        None,
        "2026-11-21T00:38:08.759105+00:00",
    ]
    assert pq.read_table(io.BytesIO(written("string"))).num_rows == 0


def test_repeated_values_take_few_bytes() -> None:
    assert len(written("int64", [5] * 16_384)) < 1_500
    assert len(written("string", ["one of them"] * 16_384)) < 500
    assert len(written("int32", [None] * 16_384)) < 300
