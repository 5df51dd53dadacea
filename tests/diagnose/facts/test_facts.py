from typing import Any

from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.facts.facts import Facts
from tests.diagnose.made import call, connection, report


def metadata(host: str, topic_id: str = "id-1", name: str = "orders", node_id: int = 7) -> Any:
    topic = {"errorCode": 0, "name": name, "topicId": topic_id, "partitions": []}
    broker = {"nodeId": node_id, "host": host, "port": 9092, "rack": "a"}
    return call(3, 12, {"topics": None}, {"brokers": [broker], "topics": [topic], "controllerId": 7})


def test_topics_by_id() -> None:
    facts = Facts()
    assert facts.name_in({"topicId": "id-1"}) is None
    facts.learn(metadata("10.0.0.2"))
    assert facts.name_in({"topicId": "id-1"}) == "orders"
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
    facts.history(call(12, 0, {}, {"errorCode": 0}, on=on))
    assert facts.client(on) == Client("shop", "10.0.0.1")
    facts.forget(report(on))
    assert facts.client(on) is None


def test_the_group_of_a_client() -> None:
    facts, client = Facts(), Client("shop", "10.0.0.1")
    facts.learn_group(client, {"groupId": "billing", "topics": []})
    assert facts.group(client) == "billing"
    facts.learn_group(client, {"groups": [{"groupId": "audit"}]})
    assert facts.group(client) is None


def test_a_connection_may_change_hands() -> None:
    facts, on = Facts(), connection()
    facts.history(call(12, 0, {}, {"errorCode": 0}, on=on))
    facts.history(call(12, 0, {}, {"errorCode": 0}, on=on, client_id="other"))
    assert facts.client(on) == Client("other", "10.0.0.1")


def test_versions_that_a_server_offers() -> None:
    facts, server = Facts(), "10.0.0.2:9092"
    assert facts.supports(server, 3, 5) is None
    refused = {"errorCode": 35, "apiKeys": [{"apiKey": 18, "minVersion": 0, "maxVersion": 4}]}
    facts.learn(call(18, 5, {}, refused))
    assert facts.supports(server, 3, 5) is None
    keys = [{"apiKey": key, "minVersion": 0, "maxVersion": 5} for key in (3, 18)]
    facts.learn(call(18, 3, {}, {"errorCode": 0, "apiKeys": keys}))
    assert [facts.supports(server, 3, version) for version in (5, 6)] == [True, False]
    assert facts.supports(server, 68, 0) is False


def test_brokers_by_name() -> None:
    facts = Facts()
    facts.learn(metadata("broker-7.example"))
    found = facts.broker_by_name("10.9.9.9:9092")
    assert found is not None
    assert found.node_id == 7
    for node_id in (8, 9):
        facts.learn(metadata(f"broker-{node_id}.example", node_id=node_id))
        assert facts.broker_by_name("10.9.9.9:9092") is None  # any may be meant


def test_what_is_told_again_is_learnt_again_where_it_was_otherwise_meanwhile() -> None:
    facts = Facts()
    for name in ("orders", "orders", "audit", "audit", "orders"):
        facts.learn(metadata("10.0.0.2", name=name))
        assert facts.topic_called("id-1") == name
    facts.learn(call(19, 7, {"topics": []}, {"topics": [{"name": "new", "topicId": "id-1", "errorCode": 0}]}))
    facts.learn(metadata("10.0.0.2", name="orders"))
    assert facts.topic_called("id-1") == "orders"
