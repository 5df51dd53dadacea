from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.consumers.lag import ConsumerLagGrows, Ends, standings
from kafkasniff.diagnose.engine import Diagnosis
from tests.diagnose.made import call, connection, finding, findings

RULE = "consumer-lag-grows"
MAKER = connection(50_100)
"""A producer's connection."""


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
    assert findings(RULE, reads(60, 2, 3)) == []  # By fewer than 100 records.
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


def committed(at: float, offset: int, group: str = "billing") -> Call:
    partition = {"partitionIndex": 0, "committedOffset": offset}
    request = {"groupId": group, "memberId": "m-1", "topics": [{"name": "orders", "partitions": [partition]}]}
    answer = {"topics": [{"name": "orders", "partitions": [{"partitionIndex": 0, "errorCode": 0}]}]}
    return call(8, 8, request, answer, at=at)


def test_a_client_that_fetches_long_before_its_program_has_its_turn() -> None:
    """Librdkafka and others read ahead: what was processed is what is committed."""
    ahead = [fetched(at, at * 300, at * 300) for at in range(12)]
    keeps_up = [item for at, each in enumerate(ahead) for item in (each, committed(at + 0.5, max(at * 300 - 50, 0)))]
    assert findings(RULE, keeps_up) == []
    slow = [item for at, each in enumerate(ahead) for item in (each, committed(at + 0.5, at * 100))]
    found = finding(RULE, slow)
    assert found.subject["group"] == "billing"
    assert "300 records/s were written and 100 read; it is 2,200 records behind" in found.summary


def test_ends_that_the_client_asks_for() -> None:
    """A client that fetches no more, as its buffer is full, and asks for the end."""

    def asked(at: float, end: int) -> Call:
        partition = {"partitionIndex": 0, "timestamp": -1}
        told = {"partitionIndex": 0, "errorCode": 0, "offset": end}
        request = {"topics": [{"name": "orders", "partitions": [partition]}]}
        return call(2, 6, request, {"topics": [{"name": "orders", "partitions": [told]}]}, at=at)

    calls = [fetched(0, 0, 1_000)]
    for at in range(1, 13):
        calls += [asked(at, 1_000 + at * 300), committed(at + 0.5, at * 100)]
    assert "300 records/s were written and 100 read" in finding(RULE, calls).summary


def test_a_group_that_goes_back() -> None:
    """Whoever seeks to the beginning does not fall behind."""
    assert findings(RULE, [*reads(5, 100, 100), *[fetched(6 + at, at * 100, 600 + at * 100) for at in range(20)]]) == []


def test_where_clients_stand() -> None:
    diagnosis, ends = Diagnosis([ConsumerLagGrows]), Ends()
    answer = {
        "responses": [{"name": "orders", "partitionResponses": [{"index": 0, "errorCode": 0, "baseOffset": 499}]}]
    }
    for item in [
        *(each for at in range(4) for each in (fetched(at, at * 100, at * 110), committed(at + 0.5, at * 50))),
        committed(9, 180),  # Nothing is fetched any more, as the buffer is full.
        call(0, 9, {"acks": -1, "topicData": []}, answer, at=9.5),
    ]:
        diagnosis.feed(item)
        ends.feed(item)
    (found,) = standings(diagnosis.rules, ends)
    assert (found.group, found.topic, found.partition, found.by) == ("billing", "orders", 0, "commit")
    assert (found.position, found.end, found.lag) == (180, 500, 320)
    assert (found.first.lag, found.last.lag) == (0, 180)
    assert found.per_second(found.last.end - found.first.end) == 110


def written(at: float, end: int) -> Call:
    partition = {"index": 0, "baseOffset": end - 1, "errorCode": 0}
    told = {"responses": [{"name": "orders", "partitionResponses": [partition]}]}
    return call(0, 8, {"acks": -1, "topicData": []}, told, at=at, client_id="maker", on=MAKER)


def test_a_consumer_whose_buffer_is_full() -> None:
    """Sarama fetches a partition no more until its program has taken what it has; others' writes tell the end."""
    calls = [fetched(0, 0, 1_000)]
    for at in range(1, 13):
        calls += [written(at, 1_000 + at * 300), committed(at + 0.5, at * 100)]
    found = finding(RULE, calls)
    assert found.subject["clientId"] == "shop"
    assert "300 records/s were written and 100 read" in found.summary
    assert finding(RULE, calls[1:]).subject["topic"] == "orders"  # The Fetch came before the capture.
    keeps_up = [item for at in range(1, 20) for item in (written(at, at * 300), committed(at + 0.5, at * 300 - 9))]
    assert findings(RULE, keeps_up) == []
    old = [written(1, 300), *(committed(at, 200 + at) for at in range(2, 30))]
    assert findings(RULE, old) == []  # Nobody says that more was written.
