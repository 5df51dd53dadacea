from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.cluster.brokers import below_kafka4
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.tcp.events import Endpoint
from tests.diagnose.kinds import produce
from tests.diagnose.made import call, connection, finding, findings


@pytest.mark.parametrize(
    ("key", "lowest"),
    # KIP-896: Produce 3, Fetch 4, ListOffsets 1, Metadata 0, OffsetCommit 2, OffsetFetch 1, CreateTopics 2.
    [(0, 3), (1, 4), (2, 1), (3, 0), (8, 2), (9, 1), (19, 2)],
)
def test_the_minimum_of_kafka_4(key: int, lowest: int) -> None:
    assert not below_kafka4(key, lowest)
    assert not lowest or below_kafka4(key, lowest - 1)


def test_below_kafka4_minimum() -> None:
    produce = {"acks": 1, "timeoutMs": 1, "topicData": []}
    assert findings("below-kafka4-minimum", [call(0, 3, produce)]) == []
    assert "PRODUCE v2" in finding("below-kafka4-minimum", [call(0, 2, produce)]).summary
    assert findings("below-kafka4-minimum", [call(1, 3, {"replicaId": 2, "topics": []})]) == []


def offers(**versions: tuple[int, int]) -> Call:
    """ApiVersions of a broker: lowest and highest version by API key (`k0`)."""
    keys = [{"apiKey": int(name[1:]), "minVersion": low, "maxVersion": high} for name, (low, high) in versions.items()]
    return call(18, 3, {}, {"errorCode": 0, "apiKeys": keys}, on=connection(49_999))


KAFKA_4 = offers(k0=(0, 13), k1=(4, 18), k3=(0, 13), k18=(0, 4))
"""What Kafka 4.3.1 says; it offers Produce 0 and refuses it (KAFKA-18659)."""
KAFKA_0_10 = offers(k0=(0, 2), k1=(0, 3), k3=(0, 2), k18=(0, 0))


def closed(count: int, version: int = 2, direction: int = 1, key: int = 0) -> list[Call]:
    """Requests on connections of their own that the server closes instead of answering."""
    calls = []
    for at in range(count):
        on = connection(50_000 + at)
        on.ended_by, on.ended_direction = "fin", direction
        calls.append(call(key, version, {"topicData": []}, at=at, on=on))
    return calls


def test_api_versions_that_the_server_answers_elsewhere() -> None:
    """A version that the broker does not have is answered all the same (KIP-511): something else closes."""
    assert findings("unsupported-version", [KAFKA_4, *closed(9, key=18, version=5)]) == []


@pytest.mark.parametrize(("version", "count"), [(0, 1), (2, 1), (3, 0)])
def test_produce_that_kafka_4_offers_and_refuses(version: int, count: int) -> None:
    assert len(findings("unsupported-version", [KAFKA_4, *closed(3, version=version)])) == count
    assert findings("unsupported-version", [KAFKA_0_10, *closed(3, version=2)]) == []


def test_old_clients_are_told_of_by_host_and_software() -> None:
    def old(client_id: str, **more: Any) -> Call:
        return call(1, 3, {"replicaId": -1, "topics": []}, client_id=client_id, **more)

    (found,) = findings("below-kafka4-minimum", [old("shop-a"), old("shop-b")])
    assert found.subject["clientId"] == ["shop-a", "shop-b"]
    named = {"software_name": "sarama", "software_version": "v1.10.0"}
    assert len(findings("below-kafka4-minimum", [old("shop-a"), old("shop-b", **named), old("shop-c", **named)])) == 2


def test_what_an_old_broker_does_not_offer_says_nothing_of_the_client() -> None:
    fetch = call(1, 3, {"replicaId": -1, "topics": []})
    assert findings("below-kafka4-minimum", [KAFKA_0_10, fetch]) == []
    assert len(findings("below-kafka4-minimum", [KAFKA_4, fetch])) == 1


def test_closed_after_an_old_version() -> None:
    assert findings("unsupported-version", closed(2)) == []
    assert finding("unsupported-version", closed(3)).subject.items() >= {"clientId": "shop"}.items()
    assert findings("unsupported-version", closed(9, version=3)) == []
    assert findings("unsupported-version", closed(9, direction=0)) == []


def in_new_version(calls: list[Call], version: int = 99) -> list[Call]:
    """The calls in a version that no release has, and whose layout so is not known."""
    for each in calls:
        assert each.header is not None
        each.header = RequestHeader(each.header.api_key, version, 1, each.client_id, 1, each.header.end)
    return calls


def test_closed_after_a_version_that_no_release_has() -> None:
    """Recorded with Kafka 4.3.1: Metadata v99 gets no answer but a FIN."""
    assert findings("unsupported-version", in_new_version(closed(2, key=3, version=1))) == []
    (found,) = findings("unsupported-version", in_new_version(closed(3, key=3, version=1)))
    assert "METADATA v99 3 times" in found.summary
    assert len(findings("unsupported-version", [KAFKA_4, *in_new_version(closed(3, key=3, version=1))])) == 1
    # A broker that is newer than what is known here.
    newer = offers(k3=(0, 99), k18=(0, 4))
    assert findings("unsupported-version", [newer, *in_new_version(closed(9, key=3, version=1))]) == []
    assert findings("unsupported-version", in_new_version(closed(9, key=18, version=3))) == []  # KIP-511: answered.
    assert findings("connection-closed-by-server", in_new_version(closed(9, key=3, version=1))) == []


def test_api_versions_may_be_refused() -> None:
    calls = [call(18, 4, {}, {"errorCode": 35, "apiKeys": []}, at=at) for at in range(9)]
    assert findings("unsupported-version", calls) == []


def test_followers_of_kafka_1() -> None:
    calls = [call(23, 0, {"topics": []}, client_id="broker-2-fetcher-0")]
    assert findings("below-kafka4-minimum", calls) == []


def test_a_broker_that_verifies_a_transaction_refuses_each_batch_once() -> None:
    """What aiokafka 0.14.0 gets of Kafka 4.3.1 when it begins a transaction while the one before still ends."""

    def refused(at: float, sequence: int, code: int = 19) -> Call:
        return produce(at, code=code, transaction="payments", producer_id=7, sequence=sequence)

    once_each = [refused(at, 10 * at) for at in range(9)]
    assert findings("not-enough-replicas", once_each) == []
    again_and_again = [refused(at, 10) for at in range(4)]
    assert "NOT_ENOUGH_REPLICAS 3 times" in finding("not-enough-replicas", again_and_again).summary
    assert findings("not-enough-replicas", again_and_again[:3]) == []
    after_append = [refused(at, 10 * at, code=20) for at in range(3)]
    assert "NOT_ENOUGH_REPLICAS_AFTER_APPEND 3 times" in finding("not-enough-replicas", after_append).summary


def test_another_cluster_at_the_same_address() -> None:
    def told(at: float, cluster: str | None, client_id: str = "shop", port: int = 9092) -> Call:
        on = connection(50_000 + port, server=Endpoint("10.0.0.2", port))
        answer = {"brokers": [], "clusterId": cluster, "topics": []}
        return call(3, 8, {"topics": []}, answer, at=at, client_id=client_id, on=on)

    rule = "cluster-id-changed"
    assert findings(rule, [told(0, "first"), told(1, None), told(2, "first")]) == []
    # Clients of clusters behind one address, as of a proxy that tells them apart.
    assert findings(rule, [told(0, "first"), told(1, "second", client_id="audit"), told(2, "second", port=9093)]) == []
    found = finding(rule, [told(0, "first"), told(1, "second"), told(2, "second")])
    assert (found.count, found.subject["server"], found.subject["clientId"]) == (1, "10.0.0.2:9092", "shop")
    assert found.summary == "10.0.0.2:9092 named another cluster than before to shop once: first, then second."


def test_a_broker_that_was_asked_before_the_capture_may_be_old() -> None:
    """What an old broker has is all that a client can choose."""

    def later(version: int, port: int) -> Call:
        on = connection(port)
        on.initiator = None
        return call(1, version, {"topics": []}, {"responses": []}, on=on)

    found = finding("below-kafka4-minimum", [later(3, 50_001)])
    assert (found.severity, "may have no newer" in found.summary) == ("info", True)
    assert finding("below-kafka4-minimum", [KAFKA_4, later(3, 50_001)]).severity == "warning"
    asks_nothing = call(1, 3, {"topics": []}, {"responses": []}, client_id="tool")
    both = findings("below-kafka4-minimum", [later(3, 50_001), asks_nothing])
    assert {each.subject["clientId"]: each.severity for each in both} == {"shop": "info", "tool": "warning"}
    assert finding("below-kafka4-minimum", [call(1, 3, {"topics": []}, {"responses": []})]).severity == "warning"
