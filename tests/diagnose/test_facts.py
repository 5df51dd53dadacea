from typing import Any

from kafkasniff.diagnose.facts import Client, Facts, client_of, is_follower
from tests.diagnose.made import call, connection, report


def metadata(host: str, topic_id: str = "id-1", name: str = "orders") -> Any:
    topic = {"errorCode": 0, "name": name, "topicId": topic_id, "partitions": []}
    broker = {"nodeId": 7, "host": host, "port": 9092, "rack": "a"}
    return call(3, 12, {"topics": None}, {"brokers": [broker], "topics": [topic], "controllerId": 7})


def test_topics_by_id() -> None:
    facts = Facts()
    assert facts.name_in({"topicId": "id-1"}) is None
    facts.learn(metadata("10.0.0.2"))
    assert facts.name_in({"topicId": "id-1"}) == facts.topic_name("id-1") == "orders"
    assert facts.name_in({"name": "audit", "topicId": "id-1"}) == "audit"


def test_brokers_by_address() -> None:
    facts = Facts()
    facts.learn(metadata("localhost"))
    facts.learn(metadata("2001:db8::1"))
    for server in ("127.0.0.1:9092", "[::1]:9092", "[2001:db8::1]:9092"):
        broker = facts.broker(server)
        assert broker is not None
        assert (broker.node_id, broker.rack) == (7, "a")


def test_the_client_behind_a_connection() -> None:
    facts, on = Facts(), connection()
    facts.learn(call(12, 0, {}, {"errorCode": 0}, on=on))
    assert facts.client(on) == Client("shop", "10.0.0.1")
    facts.forget(report(on))
    assert facts.client(on) is None


def test_a_client_without_id_is_its_connection() -> None:
    assert client_of(call(12, 0, {}, client_id=None)) == Client(None, "10.0.0.1:50000")


def test_the_group_of_a_client() -> None:
    facts, client = Facts(), Client("shop", "10.0.0.1")
    facts.learn(call(9, 1, {"groupId": "billing", "topics": []}))
    assert facts.group(client) == "billing"
    facts.learn(call(9, 8, {"groups": [{"groupId": "audit"}]}))
    assert facts.group(client) is None


def test_followers() -> None:
    assert is_follower(call(1, 4, {"replicaId": 2}))
    assert is_follower(call(1, 15, {"replicaState": {"replicaId": 0}}))
    assert not is_follower(call(1, 4, {"replicaId": -1}))
    assert not is_follower(call(1, 15, {}))
