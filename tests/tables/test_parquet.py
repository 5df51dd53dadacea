from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from kafkasniff.tables.blocks.row_block import RowBlock
from kafkasniff.tables.declared import BROKERS, CALLS, RECORDS, Table
from kafkasniff.tables.parquet import parquet_options


def write(path: Path, table: Table, *rows: tuple[object, ...]) -> str:
    block = RowBlock(table)
    for row in rows:
        block.add(row)
    written = pa.table(block)
    with pq.ParquetWriter(path, written.schema, **parquet_options(table.name, written.schema)) as file:
        file.write_table(written)
    return str(path)


def layout(path: str) -> dict[str, tuple[str, str]]:
    """Give encodings and codec of each column chunk, as DuckDB reads them."""
    found = duckdb.execute("SELECT path_in_schema, encodings, compression FROM parquet_metadata(?)", [path]).fetchall()
    return {name.replace(", ", "."): (encodings, codec) for name, encodings, codec in found}


BROKER = ("ring", 1_000_000, "broker-1:9092", 1, None)


def test_texts_are_dictionaries_and_integers_differences(tmp_path: Path) -> None:
    found = layout(write(tmp_path / "brokers.parquet", BROKERS, BROKER, BROKER))
    assert "DICTIONARY" in found["server"][0]
    assert "DELTA_BINARY_PACKED" in found["node_id"][0]
    assert "DELTA_BINARY_PACKED" in found["time"][0]
    assert {codec for _, codec in found.values()} == {"ZSTD"}


def test_what_hardly_repeats_is_not_compressed(tmp_path: Path) -> None:
    path = write(tmp_path / "calls.parquet", CALLS)
    columns = {each.name for each in CALLS.columns}
    empty = pq.read_schema(path)
    assert columns == set(empty.names)
    options = parquet_options("calls", empty)["compression"]
    assert options["time_ns"] == options["correlation_id"] == "none"
    assert options["api_key"] == options["total_time_ms"] == "zstd"


def test_parts_of_lists_have_their_own_layout(tmp_path: Path) -> None:
    key = ("ring", "a:1-b:2", 0, "request", 0, 1_000_000, 1_000_000_000, "a:1", "a", "b:2", 0, "Produce", 9, "c")
    headers = [{"key": "trace", "value": b"\x00"}]
    record = (*key, "request", "topicData[0]", "t", 0, 7, 1_000, None, b"value", headers)
    path = write(tmp_path / "records.parquet", RECORDS, record)
    found = layout(path)
    keys = next(name for name in found if name.startswith("headers") and name.endswith("key"))
    assert "DICTIONARY" in found[keys][0]
    assert {found[name][1] for name in found if name.startswith("headers")} == {"ZSTD"}
    assert duckdb.execute("SELECT headers[1].key, value FROM read_parquet(?)", [path]).fetchall() == [
        ("trace", b"value")
    ]


def test_readers_are_told_what_is_never_null(tmp_path: Path) -> None:
    path = write(tmp_path / "calls.parquet", CALLS)
    told = dict(duckdb.execute("SELECT name, repetition_type FROM parquet_schema(?)", [path]).fetchall())
    assert told["time_ns"] == told["client"] == told["outcome"] == "REQUIRED"
    assert told["api_key"] == told["client_id"] == told["response_size_bytes"] == "OPTIONAL"
