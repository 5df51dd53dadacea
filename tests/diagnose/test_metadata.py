from kafkasniff.calls.call import Call, Gap
from tests.diagnose.made import SHARED, arrival, call, finding, findings
from tests.diagnose.test_error_rule import metadata, produce


def storm(per_second: int, seconds: int) -> list[Call]:
    times = [second + index / per_second for second in range(seconds) for index in range(per_second)]
    return [metadata(0)(at) for at in times]


def test_metadata_storm() -> None:
    assert findings("metadata-storm", storm(9, 20)) == []
    assert findings("metadata-storm", storm(10, 2)) == []
    found = finding("metadata-storm", storm(10, 3))
    assert (found.count, found.subject["clientId"], found.subject["topic"]) == (30, "shop", "orders")


def test_a_topic_that_appears_is_healthy() -> None:
    missing, there = metadata(3), metadata(0)
    assert findings("unknown-topic-loop", [*map(missing, range(9)), there(10)]) == []
    assert finding("unknown-topic-loop", [*map(missing, range(9)), metadata(0, "other")(10)]).count == 9


def test_a_topic_may_appear_in_lost_bytes() -> None:
    lost = Gap(SHARED, SHARED, SHARED, "response", 100, arrival(9))  # type: ignore[arg-type]
    calls = [metadata(3)(at) for at in range(9)]
    assert findings("unknown-topic-loop", [*calls, lost]) == []  # type: ignore[list-item]


def test_not_leader_with_metadata_in_between_is_healthy() -> None:
    refused = produce(6)
    calls = [each for at in range(0, 60, 3) for each in (refused(at), refused(at + 1), metadata(0)(at + 2))]
    assert findings("not-leader-loop", calls) == []


def test_followers_learn_of_leaders_otherwise() -> None:
    partition = {"partitionIndex": 0, "errorCode": 6, "highWatermark": 5, "recordsSizeInBytes": 0}
    response = {"responses": [{"topic": "orders", "partitions": [partition]}]}
    request = {"replicaId": 2, "topics": []}
    assert findings("not-leader-loop", [call(1, 4, request, response, at=at) for at in range(30)]) == []
