"""Errors that members of groups get."""

from typing import Any

import pytest

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, finding, findings

COMMITS, FENCED, PROTOCOL = "commit-after-rebalance", "static-member-fenced", "inconsistent-group-protocol"


def commit(at: float, code: int, group: str = "billing", member: str = "m-1", key: int = 8) -> Call:
    request: dict[str, Any] = {"groupId": group, "memberId": member, "topics": []}
    partition = {"partitionIndex": 0, "errorCode": code}
    version, request = (2, request) if key == 8 else (3, {**request, "transactionalId": "tx", "producerId": 7})
    return call(key, version, request, {"topics": [{"name": "orders", "partitions": [partition]}]}, at=at)


@pytest.mark.parametrize("code", [22, 25])
def test_one_commit_of_an_old_generation_is_enough(code: int) -> None:
    found = finding(COMMITS, [commit(0, 0), commit(1, code), commit(2, 0)])
    assert (found.count, found.subject["group"]) == (1, "billing")


@pytest.mark.parametrize("code", [27, 113])
def test_one_refused_during_a_rebalance_is_tried_again(code: int) -> None:
    assert findings(COMMITS, [commit(0, code), commit(1, 0), commit(2, code), commit(3, 0)]) == []
    assert finding(COMMITS, [commit(0, code), commit(1, code)]).count == 2


def test_another_groups_commit_is_no_retry() -> None:
    found = finding(COMMITS, [commit(0, 27), commit(1, 0, group="shipping"), commit(2, 27)])
    assert (found.subject["group"], found.count) == ("billing", 2)


def test_commits_within_transactions_count_too() -> None:
    assert finding(COMMITS, [commit(0, 22, key=28)]).count == 1


def test_who_commits_without_a_member_id_is_an_admin_tool() -> None:
    assert findings(COMMITS, [commit(at, 25, member="") for at in range(5)]) == []


def test_groups_of_a_client_are_counted_apart() -> None:
    def refused(at: float, group: str) -> Call:
        return call(11, 2, {"groupId": group, "memberId": ""}, {"errorCode": 23, "generationId": -1}, at=at)

    assert findings(PROTOCOL, [refused(at, f"group-{at % 2}") for at in range(4)]) == []
    found = findings(PROTOCOL, [refused(at, f"group-{at % 2}") for at in range(6)])
    assert sorted(each.subject["group"] for each in found) == ["group-0", "group-1"]


@pytest.mark.parametrize(
    ("key", "version", "request_body", "code"),
    [
        (12, 3, {"groupInstanceId": "i-0", "generationId": 1}, 82),
        # KIP-848 calls it otherwise.
        (68, 0, {"instanceId": "i-0", "memberEpoch": 0}, 111),
    ],
    ids=["classic", "KIP-848"],
)
def test_who_fences_whom_is_one_finding_of_the_instance(
    key: int, version: int, request_body: dict[str, Any], code: int
) -> None:
    request = {"groupId": "billing", "memberId": "m-1", **request_body}
    calls = [
        call(key, version, request, {"throttleTimeMs": 0, "errorCode": code}, at=at, client_id=f"shop-{at}")
        for at in range(2)
    ]
    found = finding(FENCED, calls)
    assert (found.count, found.subject["group"], found.subject["groupInstanceId"]) == (2, "billing", "i-0")
    assert found.subject["clientId"] == ["shop-0", "shop-1"]
    assert "(fenced: shop-0, shop-1)" in found.summary
