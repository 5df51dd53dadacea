"""Blocks of calls, taken by DuckDB through Arrow's C data interface, beside the JSON lines of the same captures."""

import gc
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kafkasniff
from kafkasniff.calls.call import Call
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.tables.blocks import arrow
from kafkasniff.tables.blocks.arrow import ArrowField, Batch, export_stream
from kafkasniff.tables.blocks.block import Block
from kafkasniff.tables.calls.call_tables import CallTables
from kafkasniff.tables.declared import CALLS
from kafkasniff.tables.filling import blocks_of
from tests.conftest import CAPTURES
from tests.json_fields import CALL_FIELDS, HEADER_FIELDS

FILES = [path for path in sorted(CAPTURES.glob("*.pcap*")) if path.stat().st_size < 2_000_000]


def _calls(path: Path) -> list[Call]:
    return [item for item in kafkasniff.read([str(path)]) if isinstance(item, Call)]


def _rows(stream: Any) -> list[dict[str, Any]]:
    taken = duckdb.sql("select * from stream")
    return [dict(zip(taken.columns, row, strict=True)) for row in taken.fetchall()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_rows_say_what_the_json_lines_say(path: Path) -> None:
    lines = JsonLines()
    expected = [json.loads(lines.line(call)) for call in _calls(path)]
    rows = _rows(kafkasniff.read([str(path)]))
    assert len(rows) == len(expected)
    for row, line in zip(rows, expected, strict=True):
        assert {name: row[name] for name in CALL_FIELDS} == {
            name: pytest.approx(line[key]) if isinstance(line.get(key), float) else line.get(key)
            for name, key in CALL_FIELDS.items()
        }
        header = line["requestHeader"]
        assert {name: row[name] for name in HEADER_FIELDS} == {
            name: header.get(key) for name, key in HEADER_FIELDS.items()
        }
        software = line.get("clientInformation") or {}
        assert row["software_name"] == software.get("softwareName")
        assert row["software_version"] == software.get("softwareVersion")


def test_times_are_utc() -> None:
    rows = _rows(kafkasniff.read([str(CAPTURES / "java-4.3.1-basic.pcap")]))
    # The capture's first request, as tshark shows it.
    first = datetime(2026, 11, 21, 0, 38, 8, 759_105, tzinfo=UTC)
    assert min(row["time"] for row in rows) == first
    assert min(row["time_ns"] for row in rows) == 1_795_221_488_759_105_000


def test_only_wanted_columns_are_kept() -> None:
    blocks: list[Block] = []
    tables = CallTables({"calls": ["client_id", "acks"]}, lambda _, block: blocks.append(block))
    calls = _calls(CAPTURES / "java-4.3.1-basic.pcap")
    for call in calls:
        tables.add(call)
    tables.flush()
    rows = _rows(blocks[0])
    assert [row["client_id"] for row in rows] == [call.client_id for call in calls]
    assert {tuple(row) for row in rows} == {("client_id", "acks")}


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.pcap")), ids=lambda path: path.name)
def test_fewer_columns_hold_what_all_hold(path: Path) -> None:
    calls = _calls(path)
    whole = [row for block in blocks_of(calls) for row in _rows(block)]
    for names in (["api_name", "error_names", "throttle_time_ms"], ["topics", "acks"], ["groups", "rack_id"]):
        found: list[dict[str, Any]] = []
        tables = CallTables({"calls": names}, lambda _, block, found=found: found.extend(_rows(block)))
        for call in calls:
            tables.add(call)
        tables.flush()
        assert found == [{name: row[name] for name in CALLS_NAMES if name in names} for row in whole]


CALLS_NAMES = [column.name for column in CALLS.columns]


def test_nothing_is_kept_of_streams_that_were_read_or_not() -> None:
    before = len(arrow._kept), len(arrow._exported)
    path = str(CAPTURES / "java-4.3.1-basic.pcap")
    unread = kafkasniff.read([path]).__arrow_c_stream__()
    assert "arrow_array_stream" in repr(unread)
    del unread
    _rows(kafkasniff.read([path]))
    stream = kafkasniff.read([path])
    duckdb.sql("select client_id from stream limit 1").fetchall()
    del stream
    gc.collect()
    assert (len(arrow._kept), len(arrow._exported)) == before


def test_what_fails_on_the_way_is_an_error_of_the_stream() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return export_stream([ArrowField("number", "int64")], self._batches())

        def _batches(self) -> Iterator[Batch]:
            raise ValueError("the disk is gone")
            yield

    stream = Broken()
    with pytest.raises(duckdb.Error, match=re.escape("ValueError: the disk is gone")):
        duckdb.sql("select * from stream").fetchall()
    assert stream is not None
