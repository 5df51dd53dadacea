from typing import Any

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, finding, findings


def commits(count: int, partitions: int = 1, **more: Any) -> list[Call]:
    """So many within a second, each of the next partition."""
    made = []
    for index in range(count):
        partition = {"partitionIndex": index % partitions, "committedOffset": index}
        topics = [{"name": "orders", "partitions": [partition]}]
        request = {"groupId": "billing", "memberId": "m-1", "topics": topics}
        made.append(call(8, 2, request, {"topics": []}, at=index / count, **more))
    return made


def test_commit_storm() -> None:
    assert findings("commit-storm", commits(25)) == []
    found = finding("commit-storm", commits(26))  # the first is no repetition
    assert (
        found.subject.items() >= {"clientId": "shop", "group": "billing", "memberId": "m-1", "topic": "orders"}.items()
    )
    assert found.severity == "warning"


def test_each_partition_once_is_no_storm() -> None:
    assert findings("commit-storm", commits(60, partitions=60)) == []


def test_partitions_are_known_again_in_any_order() -> None:
    def storms(*orders: tuple[int, ...]) -> bool:
        made = []
        for index in range(60):
            partitions = [
                {"partitionIndex": number, "committedOffset": index} for number in orders[index % len(orders)]
            ]
            topics = [{"name": "orders", "partitions": partitions}]
            request = {"groupId": "billing", "memberId": "m-1", "topics": topics}
            made.append(call(8, 2, request, {"topics": []}, at=index / 60))
        return bool(findings("commit-storm", made))

    assert storms((0, 1, 2))
    assert storms((0, 1, 2), (2, 1, 0), (1,))
    assert not storms(*((number,) for number in range(60)))
