from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.tcp.events import Endpoint
from tests.diagnose.made import call, connection, finding, findings

OFFLINE, BALANCED = "partition-offline", "load-balancer-in-front"


def metadata(at: float, code: int = 5, client_id: str = "shop", leader: int = -1, replica: int = 3) -> Call:
    """Names no leader of orders-1, whose replica is on broker 3, which is not there, or on another."""
    nodes = (1, 2)
    brokers = [{"nodeId": node, "host": f"10.0.0.{node}", "port": 9092, "rack": None} for node in nodes]
    partitions = [
        {"partitionIndex": 0, "errorCode": 0, "leaderId": 1, "replicaNodes": [1]},
        {"partitionIndex": 1, "errorCode": code, "leaderId": leader, "replicaNodes": [replica]},
    ]
    topics = [{"errorCode": 0, "name": "orders", "partitions": partitions}]
    return call(3, 8, {"topics": []}, {"brokers": brokers, "topics": topics}, at=at, client_id=client_id)


def test_a_partition_without_leader() -> None:
    assert findings(OFFLINE, [metadata(0), metadata(4.9)]) == []
    found = finding(OFFLINE, [metadata(0), metadata(5)])
    assert found.subject.items() >= {"topic": "orders", "partition": 1, "clientId": "shop", "brokerId": 3}.items()
    assert found.summary == (
        "Partition 1 of topic orders had no leader for 5.0 s; its replicas are on broker 3, of which 3 is not in the "
        "cluster."
    )
    assert finding(OFFLINE, [metadata(0), metadata(5, client_id="b")]).subject["clientId"] == ["shop", "b"]


def test_a_partition_whose_broker_is_up_has_lost_its_disk() -> None:
    """KIP-112: a broker goes on without a log directory that has failed."""
    found = finding(OFFLINE, [metadata(0, replica=2), metadata(5, replica=2)])
    assert found.summary.endswith("its replicas are on broker 2, which is up.")
    assert "a log directory has failed" in found.cause
    assert "log directory" not in finding(OFFLINE, [metadata(0), metadata(5)]).cause


def test_a_partition_that_gets_a_leader() -> None:
    assert findings(OFFLINE, [metadata(0), metadata(2, code=0, leader=2), metadata(6)]) == []
    assert findings(OFFLINE, [metadata(0, code=9, leader=2), metadata(6, code=9, leader=2)]) == []


def test_a_leader_that_is_in_no_broker_list() -> None:
    for leader in (-1, 3):
        assert findings(OFFLINE, [metadata(0, 0, leader=leader), metadata(4.9, 0, leader=leader)]) == []
        found = finding(OFFLINE, [metadata(0, 0, leader=leader), metadata(5, 0, leader=leader)])
        assert found.subject.items() >= {"topic": "orders", "partition": 1, "brokerId": 3}.items()
    moved = [metadata(0, 0, leader=3), metadata(2, 0, leader=2), metadata(6, 0, leader=3)]
    assert findings(OFFLINE, moved) == []
    assert findings(OFFLINE, [metadata(0, 0, leader=3), metadata(2), metadata(4.9, 0, leader=3)]) == []


def described(at: float, code: int = 5) -> Call:
    """DescribeTopicPartitions, which names no brokers."""
    partition = {"partitionIndex": 1, "errorCode": code, "leaderId": -1 if code else 2, "replicaNodes": [3]}
    topics = [{"errorCode": 0, "name": "orders", "partitions": [partition]}]
    return call(75, 0, {"topics": []}, {"topics": topics}, at=at)


def test_an_admin_client_of_4_0_asks_in_another_way() -> None:
    assert findings(OFFLINE, [described(0), described(4.9)]) == []
    found = finding(OFFLINE, [described(0), described(5)])
    assert found.summary == "Partition 1 of topic orders had no leader for 5.0 s; its replicas are on broker 3."
    assert found.subject.items() >= {"topic": "orders", "partition": 1, "clientId": "shop"}.items()
    assert finding(OFFLINE, [described(0), metadata(3), described(5)]).subject["brokerId"] == 3
    assert findings(OFFLINE, [described(0), described(2, 0), described(6)]) == []


def told(at: float, ports: tuple[int, ...]) -> Call:
    brokers = [{"nodeId": node, "host": "lb", "port": port, "rack": None} for node, port in enumerate(ports)]
    return call(3, 8, {"topics": []}, {"brokers": brokers, "topics": []}, at=at)


def test_names_that_lead_to_one_address() -> None:
    """Each connection reaches another broker; those who find the new leader elsewhere are refused once."""

    def told_names(at: float, *hosts: str, port: int = 9092) -> Call:
        brokers = [{"nodeId": node, "host": host, "port": port, "rack": None} for node, host in enumerate(hosts)]
        return call(3, 8, {"topics": []}, {"brokers": brokers, "topics": []}, at=at)

    def rounds(count: int, *hosts: str, port: int = 9092) -> list[Call]:
        return [each for at in range(count) for each in (told_names(at, *hosts, port=port), *refused(1))]

    names = ("b1.lab", "b2.lab", "b3.lab")
    assert findings(BALANCED, rounds(2, *names) + refused(9)) == []
    found = finding(BALANCED, rounds(3, *names))
    assert found.subject["advertised"] == ["b1.lab:9092", "b2.lab:9092", "b3.lab:9092"]
    assert "names b1.lab, b2.lab, b3.lab, which all lead to 10.0.0.2:9092 for 3 brokers" in found.summary
    assert findings(BALANCED, rounds(9, "b1.lab")) == []
    assert findings(BALANCED, rounds(9, "10.0.0.2", "10.0.0.3")) == []
    assert findings(BALANCED, rounds(9, *names, port=9093)) == []
    other = call(18, 3, {}, {"apiKeys": []}, on=connection(50_001, server=Endpoint("10.0.0.3", 9092)))
    assert findings(BALANCED, [*rounds(9, *names), other]) == []


def refused(count: int, code: int = 6, **more: Any) -> list[Call]:
    answer = {"responses": [{"name": "orders", "partitionResponses": [{"index": 0, "errorCode": code}]}]}
    return [call(0, 9, {"acks": -1, "topicData": []}, answer, at=1 + at, **more) for at in range(count)]


def test_one_address_for_all_brokers() -> None:
    one = told(0, (9092, 9092, 9092))
    assert findings(BALANCED, [one, *refused(2)]) == []
    found = finding(BALANCED, [one, *refused(3)])
    assert found.subject.items() >= {"advertised": "lb:9092", "clientId": "shop", "topic": "orders"}.items()
    assert "for 3 brokers" in found.summary
    assert finding(BALANCED, [one, *refused(3, code=16)]).count == 3
    assert findings(BALANCED, [told(0, (9092, 9093, 9094)), *refused(9)]) == []
    assert findings(BALANCED, [told(0, (9092,)), *refused(9)]) == []
    assert findings(BALANCED, [one, *refused(9, client_id="other", on=connection(50_001))]) == []
