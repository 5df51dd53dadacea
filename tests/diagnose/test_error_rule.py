from collections.abc import Callable
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.error_rule import elements
from tests.diagnose.kinds import answered_metadata, answered_produce
from tests.diagnose.made import call, connection, finding, findings


def fetch(code: int) -> Callable[[float], Call]:
    request = {"replicaId": -1, "topics": [{"topic": "orders", "partitions": []}]}
    partition = {"partitionIndex": 0, "errorCode": code, "highWatermark": 5, "recordsSizeInBytes": 0}
    return lambda at: call(1, 4, request, {"responses": [{"topic": "orders", "partitions": [partition]}]}, at=at)


def simple(key: int, version: int, request: dict[str, Any], response: dict[str, Any]) -> Callable[[float], Call]:
    return lambda at: call(key, version, request, response, at=at)


MEMBER = {"groupId": "billing", "generationId": 3, "memberId": "m-1"}
COMMIT = {
    "groupId": "billing",
    "generationIdOrMemberEpoch": 3,
    "memberId": "m-1",
    "topics": [{"name": "orders", "partitions": []}],
}

CASES: list[tuple[str, int, Callable[[float], Call], dict[str, Any]]] = [
    ("not-enough-replicas", 3, answered_produce(19), {"topic": "orders"}),
    ("not-enough-replicas", 3, answered_produce(20), {"topic": "orders"}),
    ("message-too-large", 3, answered_produce(10), {"topic": "orders"}),
    ("record-list-too-large", 3, answered_produce(18), {"topic": "orders"}),
    ("crc-mismatch", 3, answered_produce(2), {"topic": "orders"}),
    ("out-of-order-sequence", 5, answered_produce(45), {"topic": "orders"}),
    ("not-leader-loop", 8, answered_produce(6), {"topic": "orders"}),
    ("offset-out-of-range", 3, fetch(1), {"topic": "orders"}),
    ("unknown-topic-loop", 1, answered_metadata(3), {"topic": "orders"}),
    ("invalid-topic", 1, answered_metadata(17, "my topic"), {"topic": "my topic"}),
    ("authorization-denied", 1, answered_metadata(29), {"topic": "orders"}),
    (
        "topic-already-exists",
        4,
        simple(19, 2, {"topics": []}, {"topics": [{"name": "orders", "errorCode": 36, "errorMessage": None}]}),
        {"topic": "orders"},
    ),
    (
        "authorization-denied",
        1,
        simple(22, 1, {"transactionalId": None}, {"errorCode": 31, "producerId": -1, "producerEpoch": -1}),
        {},
    ),
    (
        "group-authorization-denied",
        1,
        simple(10, 1, {"key": "billing", "keyType": 0}, {"errorCode": 30, "errorMessage": None, "nodeId": -1}),
        {"group": "billing"},
    ),
    ("auth-failure-loop", 1, simple(36, 0, {}, {"errorCode": 58, "errorMessage": "no", "authBytes": ""}), {}),
    (
        "unsupported-sasl-mechanism",
        1,
        simple(17, 1, {"mechanism": "SCRAM-SHA-512"}, {"errorCode": 33, "mechanisms": ["PLAIN"]}),
        {},
    ),
    (
        "inconsistent-group-protocol",
        3,
        simple(11, 2, {"groupId": "billing"}, {"errorCode": 23, "generationId": -1, "memberId": ""}),
        {"group": "billing"},
    ),
    (
        "commit-after-rebalance",
        1,
        simple(8, 2, COMMIT, {"topics": [{"name": "orders", "partitions": [{"partitionIndex": 0, "errorCode": 25}]}]}),
        {"group": "billing", "topic": "orders"},
    ),
    (
        "static-member-fenced",
        1,
        simple(12, 3, {**MEMBER, "groupInstanceId": "i-0"}, {"throttleTimeMs": 0, "errorCode": 82}),
        {"group": "billing", "groupInstanceId": "i-0"},
    ),
    (
        "producer-fenced",
        1,
        simple(26, 1, {"transactionalId": "tx", "producerId": 7}, {"throttleTimeMs": 0, "errorCode": 90}),
        {"transactionalId": "tx"},
    ),
    (
        "concurrent-transactions-spin",
        20,
        simple(22, 1, {"transactionalId": "tx"}, {"errorCode": 51, "producerId": -1, "producerEpoch": -1}),
        {"transactionalId": "tx"},
    ),
    (
        "stale-broker-epoch",
        4,
        simple(63, 0, {"brokerId": 1}, {"throttleTimeMs": 0, "errorCode": 77}),
        {"brokerId": 1},
    ),
    ("unsupported-version", 3, simple(12, 0, MEMBER, {"errorCode": 35}), {}),
]


@pytest.mark.parametrize(("rule", "least", "make", "subject"), CASES, ids=[case[0] for case in CASES])
def test_fires_from_the_threshold_on(
    rule: str, least: int, make: Callable[[float], Call], subject: dict[str, Any]
) -> None:
    assert findings(rule, [make(at) for at in range(least - 1)]) == []
    found = finding(rule, [make(at) for at in range(least)])
    assert found.count == least
    assert found.subject.items() >= {"clientId": "shop", "client": "10.0.0.1:50000", **subject}.items()
    assert "shop" in found.summary
    assert (found.evidence[0].arrival.packet, found.evidence[0].arrival.interface.file) == (2, "made.pcap")


def test_several_errors_in_an_answer_are_one_call() -> None:
    partitions = [{"partitionIndex": i, "errorCode": 1, "highWatermark": 0, "recordsSizeInBytes": 0} for i in range(9)]
    response = {"responses": [{"topic": "orders", "partitions": partitions}]}
    calls = [call(1, 4, {"replicaId": -1, "topics": []}, response, at=at) for at in range(2)]
    assert findings("offset-out-of-range", calls) == []


def test_clients_are_counted_apart() -> None:
    request, response = {"mechanism": "X"}, {"errorCode": 33, "mechanisms": []}
    calls = [call(17, 1, request, response, at=at, client_id=f"shop-{at}") for at in range(9)]
    assert [each.severity for each in findings("unsupported-sasl-mechanism", calls)] == ["info"] * 9


def test_elements_of_a_path() -> None:
    inner = {"partitionIndex": 4, "errorCode": 3}
    topic = {"name": "orders", "partitions": [{}, inner]}
    body = {"topics": [topic]}
    assert elements(body, "topics[0].partitions[1].errorCode") == [body, topic, inner]
    assert elements(body, "topics[7].partitions[1].errorCode") == [body]
    assert elements(body, "errorCode") == [body]


def test_clients_without_id_that_need_a_new_connection_each_time() -> None:
    """Of them the host is known; of others each connection may be another program."""

    def refused(code: int, count: int) -> list[Call]:
        make = [connection(50_000 + at) for at in range(count)]
        for on in make:
            on.ended_by = "fin"
        return [call(36, 0, {}, {"errorCode": code}, at=at, on=on, client_id=None) for at, on in enumerate(make)]

    found = finding("auth-failure-loop", refused(58, 4))
    assert found.subject == {"client": [f"10.0.0.1:5000{at}" for at in range(4)]}
    assert findings("crc-mismatch", refused(2, 9)) == []


def test_commits_that_a_retry_mends_are_not_lost() -> None:
    def commits(*codes: int) -> list[Call]:
        partitions = [[{"partitionIndex": 0, "errorCode": code}] for code in codes]
        answers = [{"topics": [{"name": "orders", "partitions": partition}]} for partition in partitions]
        return [call(8, 2, COMMIT, answer, at=at) for at, answer in enumerate(answers)]

    assert findings("commit-after-rebalance", commits(0, 0)) == []
    assert findings("commit-after-rebalance", commits(27, 0, 27, 0)) == []
    assert finding("commit-after-rebalance", commits(27, 27)).count == 2


def test_refusals_far_apart_are_several_leader_changes() -> None:
    refused = answered_produce(6)
    assert finding("not-leader-loop", [refused(at * 59.9) for at in range(8)]).count == 8
    assert findings("not-leader-loop", [refused(at * 60.1) for at in range(20)]) == []
