from pathlib import Path
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.facts.answers import MetadataAnswer, address_of, is_name, metadata_answer
from kafkasniff.reading import Reading
from tests.diagnose.made import call

CAPTURE = str(Path(__file__).parents[3] / "captures" / "java-4.3.1-basic.pcap")


def broker(node: int, host: str, port: int = 9092) -> dict[str, Any]:
    return {"nodeId": node, "host": host, "port": port, "rack": None}


def partition(leader: int, replicas: list[int], isr: list[int], code: int = 0) -> dict[str, Any]:
    return {"partitionIndex": 0, "errorCode": code, "leaderId": leader, "replicaNodes": replicas, "isrNodes": isr}


def answer(*brokers: dict[str, Any], partitions: tuple[dict[str, Any], ...] = ()) -> MetadataAnswer:
    return MetadataAnswer({"brokers": list(brokers), "topics": [{"name": "t", "partitions": list(partitions)}]})


def test_brokers_by_address() -> None:
    found = answer(broker(1, "10.0.0.1"), broker(2, "10.0.0.2"))
    assert found.nodes == {"10.0.0.1:9092": 1, "10.0.0.2:9092": 2}
    assert found.what == "Metadata names 10.0.0.1:9092, 10.0.0.2:9092"
    assert found.shared is None
    assert found.named is None
    many = answer(*(broker(node, f"10.0.0.{node}") for node in range(40)))
    assert (len(many.nodes), many.node_ids) == (16, list(range(40)))


def test_one_address_of_several_brokers() -> None:
    found = answer(broker(1, "a"), broker(2, "lb"), broker(3, "lb"))
    assert found.shared == ("lb:9092", 2)


def test_brokers_that_differ_by_name_alone() -> None:
    named = answer(broker(1, "a"), broker(2, "b")).named
    assert named is not None
    assert (named.names, named.port, named.told) == (("a", "b"), 9092, 1)
    assert answer(broker(1, "a"), broker(2, "b", 9093)).named is None
    assert answer(broker(1, "a"), broker(2, "10.0.0.2")).named is None


def test_replicas_that_lag_and_leaders_that_are_gone() -> None:
    told = (partition(1, [2, 1], [1, 2]), partition(2, [2, 1], [2]), partition(1, [3, 1], [1], code=9))
    found = answer(broker(1, "a"), broker(2, "b"), partitions=told)
    assert [(topic["name"], nodes) for topic, nodes in found.lagging()] == [("t", [1])]
    assert found.leaderless() == []
    gone = answer(broker(1, "a"), partitions=told)
    assert [item for _, item in gone.leaderless()] == [told[1]]
    assert answer(partitions=told).leaderless() == []


def test_equal_answers_are_worked_out_once() -> None:
    def told() -> list[MetadataAnswer]:
        calls = (item for item in Reading([CAPTURE]) if isinstance(item, Call) and item.api_name == "METADATA")
        return [metadata_answer(each) for each in calls if each.response is not None]

    first, again = told(), told()
    assert len(first) > 1
    assert [one is other for one, other in zip(first, again, strict=True)] == [True] * len(first)
    assert {node for each in first for node in each.node_ids} == {1}


def test_who_is_not_answered_is_told_nothing() -> None:
    assert metadata_answer(call(3, 2, {"topics": []}, None)).nodes == {}


def test_names_and_addresses() -> None:
    assert is_name("kafka-1.example.com:9092")
    assert not is_name("[::1]:9092")
    assert str(address_of("localhost:9092")) == "127.0.0.1"
