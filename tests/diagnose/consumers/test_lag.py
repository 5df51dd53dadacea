from typing import Any

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, finding, findings

RULE = "consumer-lag-grows"


def fetched(at: float, position: int, end: int, start: int = -1, **more: Any) -> Call:
    request = {"topics": [{"topic": "orders", "partitions": [{"partition": 0, "fetchOffset": position}]}], **more}
    partition = {"partitionIndex": 0, "errorCode": 0, "highWatermark": end, "logStartOffset": start}
    return call(1, 11, request, {"responses": [{"topic": "orders", "partitions": [partition]}]}, at=at)


def reads(seconds: float, read: int, written: int) -> list[Call]:
    """So many records a second are read and written."""
    return [fetched(at, at * read, at * written) for at in range(round(seconds) + 1)]


def test_a_consumer_that_falls_behind() -> None:
    assert findings(RULE, reads(9, 100, 300)) == []
    found = finding(RULE, reads(10, 100, 300))
    assert found.severity == "info"
    assert found.subject == {"clientId": "shop", "client": "10.0.0.1:50000", "topic": "orders", "partition": 0}
    assert "for 10.0 s, 300 records/s were written and 100 read; it is 2,000 records behind" in found.summary
    assert found.count == 2_000


def test_consumers_that_keep_up() -> None:
    assert findings(RULE, reads(60, 100, 100)) == []
    assert findings(RULE, reads(60, 10, 20)) == []  # By fewer than 1,000 records.
    assert findings(RULE, reads(60, 90, 110)) == []  # Reads more than four fifths.
    catches_up = [fetched(at, at * 300, 10_000 + at * 100) for at in range(30)]
    assert findings(RULE, catches_up) == []


def test_a_burst_that_is_worked_off() -> None:
    burst = [fetched(at, at * 100, at * 500) for at in range(20)]
    after = [fetched(20 + at, min(1_900 + at * 1_000, 9_500), 9_500) for at in range(10)]
    assert findings(RULE, burst + after) == []


def test_retention_in_sight() -> None:
    kept = [fetched(at, 10_000 + at * 100, 10_000 + at * 300, start=at * 200) for at in range(11)]
    assert finding(RULE, kept).severity == "warning"
    still = [fetched(at, 10_000 + at * 100, 10_000 + at * 300, start=0) for at in range(11)]
    assert finding(RULE, still).severity == "info"


def test_followers_do_not_count() -> None:
    assert findings(RULE, [fetched(at, at * 100, at * 300, replicaId=2) for at in range(20)]) == []
