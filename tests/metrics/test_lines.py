"""Lines of an interval, from sums that are chosen here."""

import json
from typing import Any

import numpy as np

from kafkasniff.metrics.breakdown import SUMS, Row
from kafkasniff.metrics.histogram import BUCKETS, bucket_of
from kafkasniff.metrics.lines import interval_lines
from kafkasniff.metrics.state import State
from kafkasniff.metrics.totals import API_BROKER, CLIENT, ERROR_API, GROUP, TOPIC, Snapshot

STATE = State(10, 1, 2, 3, 40, 5, 4, 6, 7)


def row(calls: int, seconds: float = 0.003, **sums: float) -> Row:
    numbers = np.zeros(len(SUMS))
    for name, value in ({"calls": calls, "answered": calls} | sums).items():
        numbers[SUMS.index(name)] = value
    buckets = np.zeros(BUCKETS, np.int64)
    buckets[bucket_of(np.array([seconds]))[0]] = calls
    return Row(numbers, buckets)


def lines(rows: dict[tuple[str, ...], dict[tuple[str, ...], Row]]) -> list[dict[str, Any]]:
    empty: dict[tuple[str, ...], dict[tuple[str, ...], Row]] = {
        labels: {} for labels in (API_BROKER, CLIENT, TOPIC, GROUP, ERROR_API)
    }
    # 2026-11-20T12:00:00Z.
    came = Snapshot(1_795_176_000_000_000_000, empty | rows)
    return [json.loads(line) for line in interval_lines(came, 2.0004, STATE)]


def test_an_interval_has_a_line_with_all_calls_and_the_state() -> None:
    of_api = {("Fetch", "b:1"): row(3, request_bytes=300.0), ("Produce", "b:2"): row(4, failed=1.0, throttled=2.0)}
    first, *_ = lines({API_BROKER: of_api})
    assert (first["type"], first["time"], first["seconds"]) == ("interval", "2026-11-20T12:00:00.000000Z", 2.0)
    assert {name: first[name] for name in STATE._fields} == STATE._asdict()
    assert {name: first[name] for name in ("calls", "failed", "unanswered", "request_bytes", "throttled")} == {
        "calls": 7,
        "failed": 1,
        "unanswered": 0,
        "request_bytes": 300,
        "throttled": 2,
    }
    # All took 3 ms; a bucket is 9 % wide.
    assert all(2.75 <= first[name] <= 3.27 for name in ("p50_ms", "p90_ms", "p99_ms"))


def test_each_value_of_each_key_has_a_line_the_one_with_most_calls_first() -> None:
    found = lines(
        {
            API_BROKER: {("Fetch", "b:1"): row(3), ("Fetch", "b:2"): row(4), ("Produce", "b:1"): row(5)},
            CLIENT: {("shop",): row(2), ("carts",): row(2), ("zoo",): row(8)},
            ERROR_API: {("NOT_COORDINATOR", "JoinGroup"): row(1), ("NOT_COORDINATOR", "Heartbeat"): row(1)},
        }
    )
    values = [
        [(key, line[key], line["calls"]) for line in found if key in line]
        for key in ("api_name", "server", "client_id", "topic", "group", "error")
    ]
    assert values == [
        [("api_name", "Fetch", 7), ("api_name", "Produce", 5)],
        [("server", "b:1", 8), ("server", "b:2", 4)],
        # Of as many, the first by name.
        [("client_id", "zoo", 8), ("client_id", "carts", 2), ("client_id", "shop", 2)],
        [],
        [],
        [("error", "NOT_COORDINATOR", 2)],
    ]
    assert {line["type"] for line in found[1:]} == {"totals"}


def test_without_calls_there_is_no_percentile() -> None:
    [only] = lines({})
    assert (only["calls"], only["p50_ms"], only["p99_ms"]) == (0, None, None)
