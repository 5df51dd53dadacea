"""Events come out of spans as they went in, and in order."""

from itertools import chain
from random import Random

import pyarrow as pa
import pytest

from kafkasniff.pipeline.findings import event_spans
from kafkasniff.pipeline.findings.event_spans import SPANS, TAKEN, in_order, read_events, spans
from kafkasniff.pipeline.rows.output import TableWriter
from kafkasniff.tables.declared import EVENT_ORDER

SECOND = 1_000_000_000


def event(time, bucket, serial, size=10, at_end=False):
    return {
        "time": time,
        "at_end": at_end,
        "order_time": time % 7 if at_end else time,
        "order_packet": serial,
        "bucket": bucket,
        "serial": serial,
        "vantage": f"v{bucket}",
        "item": bytes([serial % 256]) * size,
        "wanted": 1 + serial % 3,
    }


def key(row):
    return tuple(row[name] for name in EVENT_ORDER)


def of_bucket(bucket, count, seconds):
    """Events of one bucket, in order; the capture's end ends some."""
    random = Random(bucket)
    times = sorted(random.randrange(seconds * SECOND) for _ in range(count))
    rows = [event(time, bucket, serial) for serial, time in enumerate(times)]
    rows += [event(seconds * SECOND, bucket, count + number, at_end=True) for number in range(20)]
    return sorted(rows, key=key)


def packed(task, rows):
    (batch,) = pa.Table.from_pylist(rows, TAKEN).combine_chunks().to_batches()
    return spans(task, batch)


def shuffled(batches):
    """What Spark gives a task: rows in order, some at a time."""
    rows = sorted((row for batch in batches for row in batch.to_pylist()), key=key)
    return pa.Table.from_pylist(rows, SPANS).to_batches(max_chunksize=3)


@pytest.mark.parametrize("fewest", [1, 50, event_spans._FEWEST_IN_ORDER])
def test_events_of_buckets_come_in_order(monkeypatch, fewest):
    monkeypatch.setattr(event_spans, "_FEWEST_IN_ORDER", fewest)
    buckets = [of_bucket(bucket, count, 45) for bucket, count in enumerate((3_000, 700, 20, 1))]

    found = list(in_order(shuffled(packed(2, rows) for rows in buckets)))

    assert [row for batch in found for row in batch.to_pylist()] == sorted(chain(*buckets), key=key)
    # Those that are ready are not kept until the end.
    assert (len(found) > 10) == (fewest < 100)


def test_a_span_holds_few_events_of_a_short_while():
    rows = of_bucket(7, 3_000, 45)
    large = [event(46 * SECOND + number, 7, 4_000 + number, size=100_000) for number in range(9)]

    found = packed(2, rows + large).to_pylist()

    assert {row["task"] for row in found} == {2}
    for row in found:
        events = pa.ipc.open_stream(row["events"]).read_all().to_pylist()
        assert key(row) == key(events[0])
        assert len(events) <= 256
        assert events[-1]["time"] - events[0]["time"] < 10 * SECOND
        assert sum(len(each["item"]) for each in events) <= 256 * 1024 + 100_000
    assert len(found) < 30


def test_events_are_read_sorted_from_a_file(tmp_path):
    writer = TableWriter(str(tmp_path), "part")
    rows = of_bucket(3, 100, 5)
    shares = {"client": 5, "api": 3, "plain": True}
    order = ("vantage", *EVENT_ORDER, "client", "api", "plain", "item")
    mixed = Random(1).sample(rows, len(rows))
    writer.add(("_events", 0, tuple((row | shares)[name] for name in order)) for row in mixed)
    (written,) = writer.close()

    found = [row for batch in read_events(str(tmp_path / written.path)) for row in batch.to_pylist()]

    assert [key(row) for row in found] == [key(row) for row in rows]
