"""Rows that come by blocks, beside those that the pipeline makes one by one of the same calls."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from kafkasniff.calls.items import Item
from kafkasniff.reading import Reading
from kafkasniff.tables.declared import TABLES
from kafkasniff.tables.filling import TableFiller, vantage_of
from kafkasniff.tables.rows import item_rows
from tests.conftest import CAPTURES, SHARED

_SHARED = (SHARED / "captures").glob("*/*.pcap*") if SHARED.is_dir() else ()
_BY_NAME = {path.name: path for path in (*sorted(_SHARED), *sorted(CAPTURES.glob("*.pcap*")))}
"""What lies in both folders is the same."""
FILES = [path for name, path in _BY_NAME.items() if not name.endswith(".json") and path.stat().st_size < 1_000_000]


def items_of(path: Path, records: bool) -> Iterator[Item]:
    return iter(Reading([str(path)], connections=True, records=records, metrics=False))


def plain(kind: str, value: Any) -> Any:
    """Give what DuckDB gives of a value that a row has."""
    if kind.startswith("timestamp") and value is not None:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value)
    return list(value) if isinstance(value, tuple) else value


READ = [(path, False) for path in FILES] + [(path, True) for path in FILES if path.stat().st_size <= 200_000]
"""Captures, and whether to read their records: of small ones it is enough."""


@pytest.mark.parametrize(
    ("path", "records"), READ, ids=[f"{path.parent.name}/{path.name}{'-records' * records}" for path, records in READ]
)
def test_blocks_have_the_rows_that_the_pipeline_writes(path: Path, records: bool) -> None:
    wanted = [name for name in ("calls", "errors", "batches", "records", "connections") if records or name != "records"]
    found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in wanted}

    def take(name: str, block: Any) -> None:
        found[name] += duckdb.sql("SELECT * FROM block").fetchall()

    duckdb.sql("SET TimeZone = 'UTC'")
    filler = TableFiller(dict.fromkeys(wanted), take)
    filler.take([*items_of(path, records)])
    filler.flush()
    expected: dict[str, list[tuple[Any, ...]]] = {name: [] for name in wanted}
    for item in items_of(path, records):
        for name, _, row in item_rows(vantage_of(item.connection), item, records):
            columns = TABLES[name].columns
            expected[name].append(tuple(plain(each.type, value) for each, value in zip(columns, row, strict=True)))
    for name in wanted:
        # Rows from calls that are read in another way come in blocks of their own.
        assert sorted(found[name], key=repr) == sorted(expected[name], key=repr)


@pytest.mark.parametrize("name", ["errors", "batches", "connections"])
def test_one_table_alone_has_its_rows(name: str) -> None:
    path = CAPTURES / "java-4.3.1-basic.pcap"
    rows: list[Any] = []
    filler = TableFiller({name: None}, lambda _, block: rows.extend(duckdb.sql("SELECT * FROM block").fetchall()))
    filler.take([*items_of(path, False)])
    filler.flush()
    expected = [row for item in items_of(path, False) for table, _, row in item_rows("", item, False) if table == name]
    assert len(rows) == len(expected) > 0
