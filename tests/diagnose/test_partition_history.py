"""What happened in a partition, by the fields of Kafka's messages."""

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.timeline import Timeline
from tests.diagnose.made import call


def produced(at: float, offset: int, error: int = 0, index: int = 3) -> Call:
    request = {"acks": -1, "topicData": [{"name": "orders", "partitionData": [{"index": index}]}]}
    partition = {"index": index, "errorCode": error, "baseOffset": offset, "logStartOffset": 0}
    response = {"responses": [{"name": "orders", "partitionResponses": [partition]}]}
    return call(0, 9, request, response, at=at, client_id="shop")


def fetched(at: float, offset: int, end: int, start: int = 0) -> Call:
    request = {"topics": [{"topic": "orders", "partitions": [{"partition": 3, "fetchOffset": offset}]}]}
    partition = {"partitionIndex": 3, "errorCode": 0, "highWatermark": end, "logStartOffset": start}
    response = {"responses": [{"topic": "orders", "partitions": [partition]}]}
    return call(1, 11, request, response, at=at, client_id="bill")


def led(at: float, leader: int, epoch: int, error: int = 0) -> Call:
    partition = {"partitionIndex": 3, "errorCode": error, "leaderId": leader, "leaderEpoch": epoch, "isrNodes": [1, 2]}
    topics = [{"name": "orders", "errorCode": 0, "partitions": [partition]}]
    return call(3, 12, {"topics": []}, {"brokers": [], "topics": topics}, at=at, client_id="shop")


def lines(*calls: Call) -> list[str]:
    timeline = Timeline("partition", "orders-3")
    for each in calls:
        timeline.feed(each)
    assert not timeline.failed
    return [" | ".join((row.client, row.what, str(row.count), row.mark, row.detail)) for row in timeline.rows]


def test_uses_between_marks_are_summed_up() -> None:
    assert lines(
        led(0, 1, 5),
        *(produced(at, at * 10) for at in (1, 3, 5)),
        produced(5.5, 7, index=2),
        *(fetched(at, at * 10, at * 10 + 5) for at in (2, 4)),
        produced(6, -1, error=6),
        led(7, 2, 6),
        led(8, 2, 6),
        produced(9, 60),
        fetched(10, 50, 61, start=40),
        led(11, -1, 7, error=5),
    ) == [
        "shop | METADATA v12 | 1 |  | leader 1, epoch 5, in sync 1, 2",
        "shop | PRODUCE v9 | 3 |  | written at offset 10 … written at offset 50",
        "bill | FETCH v11 | 2 |  | from offset 20 to high watermark 25 … from offset 40 to high watermark 45",
        "shop | PRODUCE v9 | 1 | refused | NOT_LEADER_OR_FOLLOWER",
        "shop | METADATA v12 | 1 | new leader | leader 2, epoch 6, in sync 1, 2",
        "shop | PRODUCE v9 | 1 |  | written at offset 60",
        "bill | FETCH v11 | 1 | records deleted | "
        "from offset 50 to high watermark 61, the log begins at 40, no longer 0",
        "shop | METADATA v12 | 1 | without leader | no leader, epoch 7  LEADER_NOT_AVAILABLE",
    ]


def test_who_commits_and_who_looks() -> None:
    committed = {"partitionIndex": 3, "committedOffset": 17}
    commit = {"groupId": "g", "memberId": "m", "topics": [{"name": "orders", "partitions": [committed]}]}
    asked = {"partitionIndex": 3, "timestamp": -1}
    told = {"partitionIndex": 3, "errorCode": 0, "offset": 20}
    found = lines(
        call(8, 8, commit, {"topics": [{"name": "orders", "partitions": [{"partitionIndex": 3, "errorCode": 0}]}]}),
        call(
            2,
            6,
            {"topics": [{"name": "orders", "partitions": [asked]}]},
            {"topics": [{"name": "orders", "partitions": [told]}]},
        ),
        call(
            24, 3, {"v3AndBelowTransactionalId": "pay", "v3AndBelowTopics": [{"name": "orders", "partitions": [3]}]}, {}
        ),
    )
    assert [line.split(" | ")[-1] for line in found] == ["group g commits 17", "end is 20", "transaction pay"]


def test_to_whom_it_is_assigned() -> None:
    def beat(at: float, member: str, *partitions: int) -> Call:
        assigned = {"topicPartitions": [{"topicId": "AAAAAAAAAAAAAAAAAAAAAQ", "partitions": [*partitions]}]}
        answer = {"errorCode": 0, "memberEpoch": 1, "assignment": assigned}
        return call(68, 0, {"groupId": "g", "memberId": member}, answer, at=at)

    named = {"errorCode": 0, "name": "orders", "topicId": "AAAAAAAAAAAAAAAAAAAAAQ", "partitions": []}
    told = call(3, 12, {"topics": []}, {"brokers": [], "topics": [named]})
    found = lines(told, beat(1, "a", 2, 3), beat(2, "a", 3), beat(3, "b", 1), beat(4, "a", 2), beat(5, "b", 1, 3))
    assert [line.split(" | ", 3)[-1] for line in found] == [
        "assigned | group g assigns it to member a",
        "taken away | group g takes it from member a",
        "assigned | group g assigns it to member b",
    ]


@pytest.mark.parametrize("name", ["orders", "-3", "orders-x", "orders-"])
def test_names_that_are_no_partition(name: str) -> None:
    with pytest.raises(ValueError, match="expected TOPIC-NUMBER"):
        Timeline("partition", name)


def test_partitions_that_are_named_instead() -> None:
    timeline = Timeline("partition", "orders-7")
    for each in (produced(1, 5), produced(2, 6, index=2), led(3, 1, 5)):
        timeline.feed(each)
    others = timeline.others()
    assert others is not None
    assert list(others) == ["orders-3", "orders-2"]
    timeline.feed(produced(4, 7, index=7))
    assert timeline.others() is None
