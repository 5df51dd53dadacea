"""Subscriptions and assignments are laid out as in ConsumerProtocolSubscription.json and …Assignment.json."""

import struct
from base64 import b64encode
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from tests.diagnose.made import call, connection, finding, findings

MIXED, IDLE = "mixed-subscriptions", "idle-members"


def strings(*names: str) -> bytes:
    return struct.pack(">i", len(names)) + b"".join(struct.pack(">h", len(name)) + name.encode() for name in names)


def join(client_id: str, generation: int, *topics: str, kind: str = "consumer", at: float = 0) -> Call:
    metadata = b64encode(struct.pack(">h", 0) + strings(*topics) + struct.pack(">i", -1)).decode()
    request = {
        "groupId": "backend",
        "memberId": client_id,
        "protocolType": kind,
        "protocols": [{"name": "range", "metadata": metadata}],
    }
    response = {"errorCode": 0, "generationId": generation, "protocolName": "range", "members": []}
    return call(11, 5, request, response, at=at, client_id=client_id, on=connection(50_000 + len(client_id)))


def test_programs_with_different_topics() -> None:
    together = [join("cart", 1, "cart.v1"), join("cart", 2, "cart.v1"), join("wishes", 2, "wishes.v1")]
    found = finding(MIXED, together)
    assert (
        found.subject.items()
        >= {"group": "backend", "clientId": ["cart", "wishes"], "topic": ["cart.v1", "wishes.v1"]}.items()
    )
    assert findings(MIXED, together[1:]) == []  # One generation only.
    assert findings(MIXED, [together[0], together[2]]) == []  # In different ones.


def test_members_that_are_of_one_program() -> None:
    shared = [join("a", 1, "x"), join("a", 2, "x"), join("bb", 2, "x", "y")]
    assert findings(MIXED, shared) == []  # A version with one topic more is rolled out.
    assert findings(MIXED, [join("a", 1, "x"), join("a", 2, "x"), join("a", 2, "y")]) == []
    other = [join("a", 1, "x", kind="connect"), join("a", 2, "x", kind="connect"), join("bb", 2, "y", kind="connect")]
    assert findings(MIXED, other) == []


def heartbeat848(client_id: str, epoch: int, *topics: str) -> Call:
    request = {"groupId": "backend", "memberId": client_id, "memberEpoch": 0, "subscribedTopicNames": list(topics)}
    return call(68, 0, request, {"errorCode": 0, "memberEpoch": epoch}, client_id=client_id)


def test_the_newer_protocol() -> None:
    assert finding(MIXED, [heartbeat848("a", 1, "x"), heartbeat848("bb", 2, "y")]).count == 1
    assert findings(MIXED, [heartbeat848("a", 1, "x"), heartbeat848("bb", 2, "x")]) == []


def synced(at: float, *topics: str, member: str = "m-1", kept: float = 0, each: int = 1) -> list[Call]:
    """A SyncGroup on a connection that is in use for so many seconds more; `each` topic has so many partitions."""
    assigned = struct.pack(">hi", 0, len(topics))
    for topic in topics:
        assigned += struct.pack(">h", len(topic)) + topic.encode() + struct.pack(f">i{each}i", each, *range(each))
    assignment = b64encode(assigned + struct.pack(">i", -1)).decode()
    request: dict[str, Any] = {"groupId": "g", "memberId": member, "protocolType": "consumer", "protocolName": "range"}
    answer = {"errorCode": 0, "protocolType": "consumer", "protocolName": "range", "assignment": assignment}
    return [call(14, 5, request | {"assignments": []}, answer, at=at, on=connection(end=at + kept))]


def test_members_without_partitions() -> None:
    assert findings(IDLE, synced(0, kept=9.9)) == []
    found = finding(IDLE, synced(0, kept=10.1))
    assert (found.severity, found.subject["group"], found.subject["memberId"]) == ("info", "g", "m-1")
    assert found.last_time - found.first_time == pytest.approx(10.1e9, abs=1e7)  # So that its cause is found.
    assert findings(IDLE, synced(0, "x", kept=99)) == []
    assert findings(IDLE, synced(0, kept=99) + synced(100, "x")) == []  # It was assigned something later.
    assert "1 of 2 members" in finding(IDLE, synced(0, kept=20) + synced(0, "x", member="m-2", kept=20)).summary


def left(member_id: str, at: float) -> Call:
    return call(13, 4, {"groupId": "g", "members": [{"memberId": member_id}]}, {"errorCode": 0}, at=at)


def test_a_member_that_leaves() -> None:
    assert findings(IDLE, [*synced(0, kept=8), left("m-1", 9)]) == []
    found = finding(IDLE, [*synced(0, kept=20), left("m-1", 21)])
    assert found.summary == "1 of 1 member of group g had no partitions for up to 21.0 s: shop."


def assigned(member_id: str, at: float, assignment: str) -> Call:
    request = {"groupId": "g", "memberId": member_id, "generationId": 1}
    return call(14, 3, request, {"errorCode": 0, "assignment": assignment}, at=at)


def test_a_member_that_the_leader_left_out() -> None:
    """Kafkajs assigns such members no bytes at all."""
    found = finding(IDLE, [assigned("m-1", 0, ""), left("m-1", 12)])
    assert found.subject["memberId"] == "m-1"


def test_a_member_with_topics_and_none_of_their_partitions() -> None:
    """As kafka-python's range assignor (2.2.15) gives them to members for whom nothing is left."""
    assert finding(IDLE, synced(0, "orders", kept=12, each=0)).subject["memberId"] == "m-1"


def test_a_member_that_stands_by_for_another() -> None:
    """It gets partitions of one that leaves; where others release some, it waited no longer than they took."""
    idle, busy = synced(0, kept=16), synced(16, "orders")
    assert finding(IDLE, [*idle, left("m-2", 15), *busy]).subject["memberId"] == "m-1"
    assert findings(IDLE, [*idle, *busy]) == []


def test_members_of_the_newer_protocol_without_partitions() -> None:
    def beat(at: float, assigned: list[Any] | None) -> Call:
        assignment = None if assigned is None else {"topicPartitions": assigned}
        request = {"groupId": "g", "memberId": "m", "memberEpoch": 1}
        answer = {"errorCode": 0, "memberEpoch": 1, "assignment": assignment}
        return call(68, 0, request, answer, at=at, on=connection(end=at))

    assert finding(IDLE, [beat(0, []), beat(11, None)]).count == 1
    assert findings(IDLE, [beat(0, []), beat(9, None)]) == []
    assert findings(IDLE, [beat(0, None), beat(11, None)]) == []
