from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.protocol.primitives import RecordsField
from tests.diagnose.made import SHARED, call, connection, finding, findings


def fetch(at: float, size: int = 0, version: int = 11, took: float = 0.001, **request: Any) -> Call:
    preferred, on = request.pop("preferred", -1), request.pop("on", SHARED)
    partition = {
        "partitionIndex": 0,
        "errorCode": 0,
        "highWatermark": 5,
        "lastStableOffset": 5,
        "preferredReadReplica": preferred,
        "records": bytes(size),
    }
    body = {"maxWaitMs": 1, "sessionId": 7, "sessionEpoch": 1, "topics": [{"topic": "orders", "partitions": []}]}
    response = {"throttleTimeMs": 0, "errorCode": 0, "sessionId": 7}
    answer = {**response, "responses": [{"topic": "orders", "partitions": [partition]}]}
    made = call(1, version, {**body, **request}, answer, at=at, took=took, on=on)
    assert made._response_body is not None
    made._response_body.records = [RecordsField("responses[0].partitions[0].records", 0, size)]
    return made


def test_fetch_busy_loop() -> None:
    def loop(per_second: int, seconds: int, size: int = 0) -> list[Call]:
        times = [second + (index + 0.5) / per_second for second in range(seconds) for index in range(per_second)]
        return [fetch(at, size, took=0) for at in times]

    assert findings("fetch-busy-loop", loop(49, 20)) == []
    assert findings("fetch-busy-loop", loop(50, 2)) == []
    assert findings("fetch-busy-loop", loop(80, 9, size=100)) == []
    found = finding("fetch-busy-loop", loop(50, 3))
    assert found.subject.items() >= {"clientId": "shop", "client": "10.0.0.1:50000", "topic": "orders"}.items()
    assert "maxWaitMs is 1" in found.summary


def test_fetch_session_churn() -> None:
    def begun(count: int, others: int = 0) -> list[Call]:
        new = [fetch(at, sessionId=0, sessionEpoch=0) for at in range(count)]
        return new + [fetch(100 + at) for at in range(others)]

    assert findings("fetch-session-churn", begun(9)) == []
    assert findings("fetch-session-churn", begun(10, others=11)) == []
    assert findings("fetch-session-churn", [fetch(at, sessionId=0, sessionEpoch=-1) for at in range(99)]) == []
    assert finding("fetch-session-churn", begun(10, others=10)).subject["server"] == "10.0.0.2:9092"


def test_wrong_rack_by_the_replica_that_is_told() -> None:
    def told(count: int) -> list[Call]:
        return [fetch(at, rackId="b", preferred=2) for at in range(count)]

    assert findings("wrong-rack-fetch", told(4)) == []
    assert "rack b" in finding("wrong-rack-fetch", told(5)).summary  # told once, and again four times
    assert findings("wrong-rack-fetch", [fetch(at, rackId="", preferred=2) for at in range(9)]) == []


def brokers(rack: str) -> Call:
    nodes = [("10.0.0.2", 1, "a"), ("10.0.0.3", 2, rack)]
    topic = {
        "errorCode": 0,
        "name": "orders",
        "isInternal": False,
        "partitions": [{"errorCode": 0, "partitionIndex": 0, "leaderId": 1, "replicaNodes": [1, 2], "isrNodes": [1]}],
    }
    answer = {
        "brokers": [{"nodeId": node, "host": host, "port": 9092, "rack": rack} for host, node, rack in nodes],
        "controllerId": 1,
        "topics": [topic],
    }
    return call(3, 1, {"topics": None}, answer)


def test_wrong_rack_by_what_metadata_tells() -> None:
    fetches = [fetch(at, rackId="b") for at in range(9)]
    assert finding("wrong-rack-fetch", [brokers("b"), *fetches]).count == 8
    assert findings("wrong-rack-fetch", [brokers("b"), *(fetch(at, rackId="a") for at in range(9))]) == []


def test_a_rack_that_is_no_brokers() -> None:
    def fetches(count: int) -> list[Call]:
        return [fetch(at, rackId="b") for at in range(count)]

    assert findings("wrong-rack-fetch", [brokers("c"), *fetches(3)]) == []
    found = finding("wrong-rack-fetch", [brokers("c"), *fetches(4)])
    assert "in rack b, which is no broker's (a, c)" in found.summary
    assert found.subject["topic"] == "orders"
    assert findings("wrong-rack-fetch", [brokers("a"), *fetches(9)]) == []  # one rack: no choice


def test_who_asks_the_leader_now_and_then_follows() -> None:
    """After metadata.max.age.ms a consumer asks the leader again, and is told again (KIP-392)."""
    assert finding("wrong-rack-fetch", [fetch(at * 29.9, rackId="b", preferred=2) for at in range(20)]).count == 19
    assert findings("wrong-rack-fetch", [fetch(at * 30, rackId="b", preferred=2) for at in range(20)]) == []
    assert findings("wrong-rack-fetch", [fetch(at * 300, rackId="b", preferred=2) for at in range(20)]) == []
    starts = [fetch(at, rackId="b", preferred=2, on=connection(50_000 + at)) for at in range(20)]
    assert findings("wrong-rack-fetch", starts) == []


def test_many_idle_programs_are_no_busy_loop() -> None:
    """Fifty consumers behind one client id and address, each of which waits half a second."""
    connections = [connection(50_000 + index) for index in range(50)]
    calls = [fetch(at / 100, on=connections[at % 50], took=0) for at in range(2000)]
    assert findings("fetch-busy-loop", calls) == []


def test_programs_that_are_run_again_and_again_begin_sessions() -> None:
    calls = [fetch(at, sessionId=0, sessionEpoch=0, on=connection(50_000 + at)) for at in range(20)]
    assert findings("fetch-session-churn", calls) == []
