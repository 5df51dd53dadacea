from collections import Counter

import orjson
import pytest

from kafkasniff.metrics.totals import API_BROKER, CLIENT, ERROR_API, GROUP, TOPIC, Snapshot, Totals
from kafkasniff.protocol.api_keys import API_VERSIONS
from kafkasniff.reading import read
from kafkasniff.render.json.lines import JsonLines
from tests.cli.running import ANSWER
from tests.conftest import CAPTURES
from tests.render.made_calls import made_call, request_bytes

CAPTURE = str(CAPTURES / "java-4.3.1-basic.pcap")


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    totals = Totals()
    for items in read(CAPTURE).batches():
        totals.take(items)
    return totals.snapshot()


def test_sums_are_those_of_the_json_lines(snapshot: Snapshot) -> None:
    lines = JsonLines()
    calls = [orjson.loads(lines.line(call)) for call in read(CAPTURE).calls()]
    by: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    times: Counter[tuple[str, str]] = Counter()
    clients: Counter[str] = Counter()
    for call in calls:
        key = call["requestHeader"]["requestApiKeyName"], call["server"]
        by[key] += 1
        sizes[key] += call["requestSizeBytes"]
        times[key] += call["totalTimeMs"] if call["outcome"] == "answered" else 0
        clients[call["requestHeader"]["clientId"]] += 1
    rows = snapshot.rows[API_BROKER]
    assert {key: row["calls"] for key, row in rows.items()} == by
    assert {key: row["request_bytes"] for key, row in rows.items()} == sizes
    assert {key: row["latency_ms"] for key, row in rows.items()} == pytest.approx(times)
    assert {name: row["calls"] for (name,), row in snapshot.rows[CLIENT].items()} == clients
    for row in rows.values():
        assert int(row.buckets.sum()) == row["answered"]
    names = {
        topic["name"] for call in calls for topic in (call["response"] or {}).get("topics", ()) if topic.get("name")
    }
    assert {name for (name,) in snapshot.rows[TOPIC]} >= names
    assert len(snapshot.rows[GROUP]) > 0
    errors = Counter(
        (name, call["requestHeader"]["requestApiKeyName"])
        for call in calls
        for name in {error["name"] for error in call.get("errors", ())}
    )
    assert {key: row["calls"] for key, row in snapshot.rows[ERROR_API].items()} == errors


def test_nothing_comes_after_the_last_call(snapshot: Snapshot) -> None:
    assert all(not rows for rows in snapshot.since(snapshot).rows.values())


def test_what_comes_of_many_client_ids_is_bounded() -> None:
    totals = Totals(20)
    for number in range(2_000):
        request = request_bytes(API_VERSIONS, 0, 7, f"client-{number}", b"")
        totals.take([made_call(request, ANSWER[4:])])
    rows = totals.snapshot().rows[CLIENT]
    assert len(rows) == 21
    assert rows["other",]["calls"] == 1_980
