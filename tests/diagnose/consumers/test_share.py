"""Acknowledge types are those of ShareAcknowledgeRequest.json: 0 gap, 1 accept, 2 release, 3 reject."""

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, finding, findings

RULE = "redelivery-loop"
NAMED = call(
    3,
    12,
    {"topics": []},
    {"brokers": [], "topics": [{"errorCode": 0, "name": "jobs", "topicId": "AAAAAAAAAAAAAAAAAAAAAQ"}]},
)


def acquired(count: int, deliveries: int, at: float) -> Call:
    batch = {"firstOffset": 0, "lastOffset": count - 1, "deliveryCount": deliveries}
    partitions = [{"partitionIndex": 0, "acquiredRecords": [batch]}]
    response = {"responses": [{"topicId": "AAAAAAAAAAAAAAAAAAAAAQ", "partitions": partitions}]}
    return call(78, 1, {"groupId": "g", "topics": []}, response, at=at)


def acknowledged(count: int, kind: int, at: float) -> Call:
    batch = {"firstOffset": 0, "lastOffset": count - 1, "acknowledgeTypes": [kind]}
    partitions = [{"partitionIndex": 0, "acknowledgementBatches": [batch]}]
    request = {"groupId": "g", "topics": [{"topicId": "AAAAAAAAAAAAAAAAAAAAAQ", "partitions": partitions}]}
    return call(79, 1, request, {"responses": []}, at=at)


def delivered(count: int, times: int = 5, kind: int = 2) -> list[Call]:
    """So many records, delivered so many times, each time acknowledged in one way."""
    calls = [NAMED]
    for number in range(times):
        calls += [acquired(count, number + 1, at=number), acknowledged(count, kind, at=number + 0.5)]
    return calls


def test_records_that_come_again_and_again() -> None:
    assert findings(RULE, delivered(4)) == []
    found = finding(RULE, delivered(5))
    assert (
        found.subject.items() >= {"clientId": "shop", "client": "10.0.0.1:50000", "group": "g", "topic": "jobs"}.items()
    )
    assert found.count == 10
    assert "released 25 of 25 records of topic jobs" in found.summary
    assert findings(RULE, delivered(100, times=3)) == []


def test_consumers_that_get_on() -> None:
    assert findings(RULE, delivered(10, kind=1)) == []
    assert findings(RULE, [*delivered(10), acquired(100, 1, at=9), acknowledged(100, 1, at=9.5)]) == []


def test_a_topic_whose_name_was_told_before_the_capture() -> None:
    found = finding(RULE, delivered(5)[1:])
    assert "topic" not in found.subject
    assert "records of topic id AAAAAAAAAAAAAAAAAAAAAQ" in found.summary
