"""Bytes as recorded from the clients that the names tell, or written by hand after ConsumerProtocol and KIP-429."""

import pytest

from kafkasniff.protocol.embedded import consumer
from kafkasniff.protocol.embedded.entries import Embedded, Opened

TOPIC_A = "0001 61"


def opened_subscription(data: str, assignor: str | None) -> Opened:
    into = Opened([], [])
    consumer.open_subscription(into, "metadata", bytes.fromhex(data), assignor)
    return into


def opened_assignment(data: str, assignor: str | None = None) -> Opened:
    into = Opened([], [])
    consumer.open_assignment(into, "assignment", bytes.fromhex(data), assignor)
    return into


def test_subscription_of_version_0() -> None:
    into = opened_subscription(f"0000 00000001 {TOPIC_A} 00000000", "range")
    value = {"topics": ["a"], "userData": ""}
    assert into == Opened([Embedded("metadata", "ConsumerProtocolSubscription", 0, value)], [])


def test_subscription_of_version_3_with_the_generation_of_a_cooperative_assignor() -> None:
    owned = f"00000001 {TOPIC_A} 00000002 00000000 00000003"
    into = opened_subscription(
        f"0003 00000001 {TOPIC_A} 00000004 00000007 {owned} 00000007 0002 7231", "cooperative-sticky"
    )
    value = {
        "topics": ["a"],
        "userData": "AAAABw==",
        "ownedPartitions": [{"topic": "a", "partitions": [0, 3]}],
        "generationId": 7,
        "rackId": "r1",
    }
    assert into.embedded == [
        Embedded("metadata", "ConsumerProtocolSubscription", 3, value),
        Embedded("metadata.userData", "CooperativeStickyAssignorUserData", 0, {"generation": 7}),
    ]
    assert into.problems == []


def test_versions_to_come_are_read_as_the_last_known() -> None:
    into = opened_subscription(f"0005 00000001 {TOPIC_A} ffffffff 00000000 ffffffff ffff", "range")
    assert into.embedded[0].version == 5
    assert into.embedded[0].value is not None
    assert into.embedded[0].value["rackId"] is None
    assert into.problems == []


@pytest.mark.parametrize("assignor", ["sticky", "cooperative-sticky"])
def test_sticky_user_data_with_generation(assignor: str) -> None:
    # franz-go, librdkafka and others send this for both assignors.
    user_data = f"00000001 {TOPIC_A} 00000001 00000002 00000005"
    into = opened_subscription(f"0001 00000001 {TOPIC_A} 00000013 {user_data} 00000000", assignor)
    value = {"previousAssignment": [{"topic": "a", "partitions": [2]}], "generation": 5}
    assert into.embedded[1] == Embedded("metadata.userData", "StickyAssignorUserData", 1, value)
    assert into.problems == []


def test_sticky_user_data_without_generation() -> None:
    user_data = f"00000001 {TOPIC_A} 00000001 00000002"
    into = opened_assignment(f"0000 00000000 0000000f {user_data}", "sticky")
    value = {"previousAssignment": [{"topic": "a", "partitions": [2]}]}
    assert into.embedded[1] == Embedded("assignment.userData", "StickyAssignorUserData", 0, value)


def test_sticky_user_data_that_is_none_is_a_problem() -> None:
    into = opened_assignment("0000 00000000 00000005 0000000900", "sticky")
    assert into.embedded[1].value is None
    assert [path for path, _ in into.problems] == ["assignment.userData"]


def test_user_data_of_other_assignors_stays_closed() -> None:
    into = opened_assignment("0000 00000000 00000002 cafe", "my-assignor")
    assert [entry.path for entry in into.embedded] == ["assignment"]
    assert into.problems == []


def test_a_subscription_that_lacks_its_owned_partitions_is_partial() -> None:
    # As kafka-go and @platformatic/kafka send version 1.
    into = opened_subscription(f"0001 00000001 {TOPIC_A} ffffffff", "range")
    partial = {"topics": ["a"], "userData": None}
    assert into.embedded == [Embedded("metadata", "ConsumerProtocolSubscription", 1, None, partial)]
    assert [path for path, _ in into.problems] == ["metadata"]
    assert "ownedPartitions at byte 13" in into.problems[0][1]


@pytest.mark.parametrize("data", ["", "00", "ffff 00000000"])
def test_what_has_no_version_is_a_problem(data: str) -> None:
    into = opened_subscription(data, "range")
    assert into.embedded == []
    assert len(into.problems) == 1


def test_an_assignment_is_told_only_when_all_bytes_are_one() -> None:
    whole = bytes.fromhex(f"0000 00000001 {TOPIC_A} 00000001 00000000 ffffffff")
    assert consumer.is_assignment(whole)
    assert not any(consumer.is_assignment(whole[:end]) for end in range(len(whole)))
    assert not consumer.is_assignment(whole + b"\0")
    assert not consumer.is_assignment(b"\0\x04" + whole[2:])
