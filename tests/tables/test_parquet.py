"""Parquet files of ours, read by pyarrow, DuckDB and Polars."""

import random
from array import array
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow.parquet as pq
import pytest

from kafkasniff.pipeline.rows.schemas import data_type
from kafkasniff.tables.arrow import ArrowColumn, ArrowField, column_of
from kafkasniff.tables.parquet.file import ParquetFile

_STRUCTS = "list<struct<key: string, value: binary>>"
_MOST = (1 << 63) - 1
VALUES: dict[str, list[Any]] = {
    "bool": [True, None, False, False, True, True, False, True, True],
    "int8": [-128, None, 127],
    "int16": [-32768, None, 32767],
    "int32": [None, 1 << 30, -(1 << 31), (1 << 31) - 1],
    "int64": [None, -_MOST - 1, _MOST],
    "double": [0.5, None, -1.25],
    "string": ["a", None, "", "größe", "a", '"=1+1\x00\n', "x" * 10_000],
    "text": ["a", None, "", "größe"],
    "binary": [b"\x00\xff", None, b""],
    "list<string>": [["a", "b"], None, [], ["b", "b"]],
    _STRUCTS: [[{"key": "k", "value": b"\x00"}, {"key": "k", "value": None}], [], None],
}


def write(path: Path, kind: str, *batches: list[Any]) -> None:
    file = ParquetFile(str(path), [ArrowField("before", "int32"), ArrowField("it", kind)])
    for values in batches:
        numbers: list[int | None] = [*range(len(values))]
        file.write((len(values), [column_of("int32", numbers), column_of(kind, values)]))
    file.close()


def read(path: Path) -> list[list[Any]]:
    """Give the column `it` as each reader sees it."""
    return [
        pq.read_table(path)["it"].to_pylist(),
        [row[0] for row in duckdb.sql(f"SELECT it FROM '{path}' ORDER BY before").fetchall()],
        polars.read_parquet(path)["it"].to_list(),
    ]


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("times", [0, 1, 40])
def test_values_come_out_as_they_went_in(tmp_path: Path, kind: str, times: int) -> None:
    path = tmp_path / "x.parquet"
    values = VALUES[kind] * times
    write(path, kind, values)
    if times:
        assert read(path) == [values] * 3
    expected = data_type("string" if kind == "text" else kind)
    found = pq.read_schema(path).field("it").type
    assert str(found).replace("element: ", "").replace("item: ", "") == str(expected).replace("item: ", "")


@pytest.mark.parametrize("kind", ["bool", "int32", "string", "list<string>", "binary"])
@pytest.mark.parametrize("value", [None, "same"])
def test_columns_of_one_value(tmp_path: Path, kind: str, value: Any) -> None:
    path = tmp_path / "x.parquet"
    same: dict[str, Any] = {"bool": True, "int32": -7, "string": "s", "list<string>": [], "binary": b""}
    values = [value and same[kind]] * 1_000
    write(path, kind, values)
    assert read(path) == [values] * 3


@pytest.mark.parametrize("seed", range(30))
def test_numbers_of_any_width(tmp_path: Path, seed: int) -> None:
    drawn = random.Random(seed)
    for kind, size in (("int8", 8), ("int16", 16), ("int32", 32), ("int64", 64)):
        path = tmp_path / f"{kind}.parquet"
        batches = []
        for _ in range(3):
            most = 1 << drawn.randrange(size)
            start = drawn.randrange(-(1 << size - 1), (1 << size - 1) - most + 1)
            batch: list[int | None] = [start + drawn.randrange(most) for _ in range(drawn.choice((1, 31, 129, 1_000)))]
            if drawn.random() < 0.5:
                batch = [None if drawn.random() < 0.3 else each for each in batch]
            batches.append(batch)
        write(path, kind, *batches)
        everything = [value for batch in batches for value in batch]
        assert pq.read_table(path)["it"].to_pylist() == everything
        assert polars.read_parquet(path)["it"].to_list() == everything
        rows = duckdb.sql(f"SELECT it FROM read_parquet('{path}')").fetchall()
        assert [row[0] for row in rows] == everything
        statistics = [pq.read_metadata(path).row_group(group).column(1).statistics for group in range(3)]
        for batch, told in zip(batches, statistics, strict=True):
            there = [each for each in batch if each is not None]
            assert told.null_count == len(batch) - len(there)
            if there:
                assert (told.min, told.max) == (min(there), max(there))


def test_lists_share_a_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    elements = ArrowColumn(array("i", [0, 1, 0]), None, 0, ["a", "b"])
    lists = ArrowColumn(array("i", [0, 2, 2, 3]), None, 0, children=((3, elements),))
    file = ParquetFile(str(path), [ArrowField("before", "int32"), ArrowField("it", "list<string>")])
    file.write((3, [column_of("int32", [0, 1, 2]), lists]))
    file.close()
    assert read(path) == [[["a", "b"], [], ["a"]]] * 3


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        write(path, "int32", [1])
    assert path.read_bytes() == b"mine"
