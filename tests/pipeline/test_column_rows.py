"""Rows and events made by columns are those of each call, which other tests compare with the lines of `read`."""

import pickle
from collections import Counter
from dataclasses import replace

import pytest

from kafkasniff.calls import runs
from kafkasniff.calls.columns import talks
from kafkasniff.calls.context import Context
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.streams import CallOptions
from kafkasniff.capture.reader import CaptureReader
from kafkasniff.pipeline.column_rows import see
from kafkasniff.pipeline.events import EventPacker
from kafkasniff.pipeline.interfaces import PlacedInterface
from kafkasniff.pipeline.naming import MarkedNames
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.output import table_of
from kafkasniff.pipeline.rows import call_rows
from kafkasniff.pipeline.tables import TABLES
from kafkasniff.protocol.records.batches import as_json
from kafkasniff.tcp import lives
from kafkasniff.tcp.limits import TcpLimits
from tests.conftest import SHARED, needs_shared
from tests.pipeline.test_micro_batch import records

LARGEST = 400_000
"""Bytes of the largest capture that is read."""
EVERY = 5
"""One capture in so many is read: others show little more."""


@pytest.fixture(autouse=True)
def _columns_take_what_they_can(monkeypatch):
    monkeypatch.setattr(lives, "FEWEST", 1)
    monkeypatch.setattr(runs, "FEWEST_SEGMENTS", 1)
    monkeypatch.setattr(talks, "LARGEST_SEGMENT", 1 << 30)


def column_items(path, chunk_bytes, records=False):
    options = CallOptions(context=Context(records=records))
    engine = Engine(tcp_limits=TcpLimits(column_packets=1), options=options)
    placed: dict = {}
    for batch in CaptureReader(path, chunk_bytes=chunk_bytes):
        for number, each in enumerate(batch.interfaces):
            described = (each.file, each.link_type, each.time_digits, each.snap_length, each.name)
            placed.setdefault(number, PlacedInterface(*described, part=2, number=number))
        batch.interfaces = list(placed.values())
        yield from (item for item in engine.feed_columns(batch) if isinstance(item, tuple))


def plain(table, rows):
    # By way of Arrow, which rounds times to microseconds and holds a tuple as a list.
    return [tuple(map(repr, row.values())) for row in table_of(rows, TABLES[table].schema).to_pylist()]


def event(placed):
    *place, packed = placed[2]
    kind, number, state, call = pickle.loads(packed)
    *packed, batches = call
    headers = None if batches is None else [(side, path, as_json(batch)) for side, path, batch in batches]
    return place, kind, number, state, packed, headers


def captures():
    found = sorted((SHARED / "captures").rglob("*.pcap*"))
    return [path for path in found if path.stat().st_size <= LARGEST and path.suffix != ".json"][::EVERY]


@needs_shared
@pytest.mark.parametrize("chunk_bytes", [16 << 20, 20_000])
def test_rows_and_events_by_columns_are_those_of_each_call(chunk_bytes):
    options, seen_by_columns = Options(), Counter()
    for path in captures():
        by_columns, one_by_one = (EventPacker("vantage", 0, 0) for _ in range(2))
        for item in column_items(str(path), chunk_bytes):
            columns, start, stop = item
            seen = see("vantage", [item], options)
            left = seen.left
            wanted: dict = {}
            for row in range(start, stop):
                if row not in left:
                    for table, _, cells in call_rows("vantage", columns.call(row), False):
                        wanted.setdefault(table, []).append(cells)
            assert seen.tables.keys() == wanted.keys(), path
            for table, rows in wanted.items():
                found = [tuple(map(repr, row.values())) for row in seen.tables[table].to_pylist()]
                assert found == plain(table, rows), (path, table)
                seen_by_columns[table] += len(rows)
            events = [event(placed) for placed in by_columns.column_rows(item, seen, options)]
            of_calls = [event(one_by_one.row(columns.call(row), False)) for row in range(start, stop)]
            assert events == of_calls, path
    assert seen_by_columns["calls"] > 500
    assert seen_by_columns["batches"] > 50


@needs_shared
def test_calls_outside_the_time_asked_for_and_those_with_records_are_left():
    path = str(SHARED / "captures" / "healthy" / "java-4.3.1-basic.pcap")
    (first, *_) = column_items(path, 16 << 20)
    times = first.columns.request_time[first.start : first.stop].tolist()

    asked = see("vantage", [first], Options(begin=times[len(times) // 2]))
    with_records = see("vantage", [first], Options(records=True))

    rows = asked.tables["calls"].column("time_ns").to_pylist() if asked.tables else []
    assert sorted(rows + [times[row - first.start] for row in asked.left]) == sorted(
        time for time in times if time >= times[len(times) // 2]
    )
    assert with_records.tables == {}
    assert with_records.left == frozenset(range(first.start, first.stop))


@needs_shared
def test_calls_that_lack_names_of_topics_are_left_where_these_are_wanted(tmp_path):
    # What tells most names lies before the place where it begins.
    header, packets = records(SHARED / "captures" / "healthy" / "kraft3-clients.pcap")
    path = tmp_path / "later.pcap"
    path.write_bytes(header + b"".join(packets[1250:]))
    left = lacking = 0
    for item in column_items(str(path), 20_000):
        columns, start, stop = item
        expected = set(see("vantage", [item], Options()).left)
        for row in range(start, stop):
            call = columns.call(row)
            names = MarkedNames(call.context.topics)
            list(call_rows("vantage", replace_names(call, names), False))
            if names.lacking:
                expected.add(row)
                lacking += 1
        found = see("vantage", [item], Options(), named=True)
        assert found.left == expected
        assert sum(map(len, found.tables.values())) > 0 or expected == set(range(start, stop))
        left += stop - start - len(expected)
    assert lacking
    assert left > 20


def replace_names(call, names):
    call.context = replace(call.context, topics=names)
    return call
