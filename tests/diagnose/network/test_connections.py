from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.protocol.errors import Problem
from kafkasniff.tcp.events import Endpoint
from tests.diagnose.kinds import ALIVE, HEARTBEAT, lived
from tests.diagnose.made import arrival, call, connection, finding, findings


def test_too_many_connections() -> None:
    def held(count: int) -> list[Call]:
        return [call(12, 0, HEARTBEAT, ALIVE, at=at, on=connection(50_000 + at)) for at in range(count)]

    assert findings("too-many-connections", held(29)) == []
    found = finding("too-many-connections", held(30))
    assert (found.count, found.subject["clientId"], found.subject["server"]) == (30, "shop", "10.0.0.2:9092")
    addresses = [f"10.0.0.1:{port}" for port in range(50_000, 50_012)]
    assert (found.subject["addresses"], found.subject["addressCount"]) == (addresses, 30)
    assert findings("too-many-connections", lived(99, 1)) == []


def test_connections_to_many_servers() -> None:
    """As a client of a large cluster holds, a few to each broker."""

    def held(servers: int, each: int) -> list[Call]:
        ends = [Endpoint(f"10.0.1.{number}", 9092) for number in range(servers) for _ in range(each)]
        made = [connection(50_000 + at, server=end) for at, end in enumerate(ends)]
        return [call(12, 0, HEARTBEAT, ALIVE, at=at, on=on) for at, on in enumerate(made)]

    assert findings("too-many-connections", held(servers=10, each=7)) == []
    assert finding("too-many-connections", held(servers=10, each=8)).count == 80


def unanswered(seconds: float, key: int = 12, request: dict[str, Any] = HEARTBEAT, **counters: int) -> list[Call]:
    """A call that is answered, and one that is not."""
    on = connection(end=seconds)
    for name, value in counters.items():
        setattr(on.counters[1], name, value)
    on.ended_by, on.ended_direction = "rst", 0
    return [call(12, 0, HEARTBEAT, ALIVE, at=-1, on=on), call(key, 0, request, took=seconds, on=on)]


def test_writes_that_stay_unanswered_are_of_a_topic() -> None:
    """So that not-enough-replicas of that topic explains them."""
    request = {"acks": -1, "timeoutMs": 30_000, "topicData": [{"name": "orders", "partitionData": []}]}
    found = finding("response-timeout", unanswered(9, 0, request))
    assert found.subject["topic"] == "orders"
    assert found.last_time - found.first_time == 9 * 10**9


def test_response_timeout() -> None:
    assert findings("response-timeout", unanswered(1.4)) == []
    found = finding("response-timeout", unanswered(1.5))
    assert found.subject.items() >= {"clientId": "shop", "client": "10.0.0.1:50000", "server": "10.0.0.2:9092"}.items()


@pytest.mark.parametrize(
    ("key", "request_body", "allowed"),
    [(1, {"maxWaitMs": 5_000}, 5), (11, {"rebalanceTimeoutMs": 60_000}, 60), (19, {"timeoutMs": 30_000}, 30)],
)
def test_what_may_take_long(key: int, request_body: dict[str, Any], allowed: float) -> None:
    assert findings("response-timeout", unanswered(allowed + 1.4, key, request_body)) == []
    assert finding("response-timeout", unanswered(allowed + 1.5, key, request_body)).count == 1


def test_an_answer_that_comes_when_the_client_has_given_up() -> None:
    """As of a listener that has max.connections: the broker takes up the connection when another one ends."""

    def late(given_up: float, by: int = 0, count: int = 2) -> list[Call]:
        calls = []
        for index in range(count):
            on = connection(50_000 + index, end=20)
            on.first_fin, on.ended_by, on.ended_direction = arrival(given_up), "fin", by
            calls.append(call(18, 3, {}, {"errorCode": 0, "apiKeys": []}, took=20, on=on))
        return calls

    found = finding("response-timeout", late(3))
    assert "API_VERSIONS unanswered for 3.0 s, when the client gave up" in found.summary
    assert findings("response-timeout", late(3, count=1)) == []  # A program that ends does not wait.
    assert findings("response-timeout", late(1.4)) == []
    assert findings("response-timeout", late(3, by=1)) == []
    assert findings("response-timeout", late(30)) == []


def test_lost_bytes_may_have_been_the_answer() -> None:
    assert findings("response-timeout", unanswered(60, gaps=1)) == []
    assert findings("response-timeout", unanswered(60, cut_packets=1)) == []


def test_mismatched_correlation() -> None:
    def strange(count: int, gaps: int = 0) -> list[Call]:
        on = connection()
        on.counters[0].gaps = gaps
        calls = []
        for at in range(count):
            made = call(3, 1, {}, ALIVE, at=at, on=on, outcome="request-not-captured")
            made.request = made.header = None
            made.pairing_problems = [Problem("response", 0, "", "correlation id 9 belongs to no request")]
            calls.append(made)
        return calls

    assert findings("mismatched-correlation", strange(2)) == []
    assert finding("mismatched-correlation", strange(3)).subject["server"] == "10.0.0.2:9092"
    assert findings("mismatched-correlation", strange(9, gaps=1)) == []
    one_way = strange(9)
    one_way[0].connection.counters[0].data_bytes = 0
    assert findings("mismatched-correlation", one_way) == []


@pytest.mark.parametrize(
    "name", ["rdkafka", "sarama", "producer-1", "consumer-billing-2", "consumer-7", "adminclient-1"]
)
def test_default_client_ids(name: str) -> None:
    found = finding("default-client-id", [call(12, 0, HEARTBEAT, ALIVE, client_id=name)])
    assert (found.subject["clientId"], found.severity) == (name, "info")


@pytest.mark.parametrize("name", ["shop", "rdkafka-shop", "producer", "my-consumer-1", None, ""])
def test_chosen_client_ids(name: str | None) -> None:
    assert findings("default-client-id", [call(12, 0, HEARTBEAT, ALIVE, client_id=name)]) == []


def test_what_is_still_open_at_the_end_may_yet_be_answered() -> None:
    def waiting(seconds: float) -> list[Call]:
        calls = unanswered(seconds)
        calls[0].connection.ended_by = calls[0].connection.ended_direction = None
        return calls

    assert findings("response-timeout", waiting(4.9)) == []
    assert finding("response-timeout", waiting(5)).count == 1


def test_a_muted_connection_is_not_read() -> None:
    seconds = 9
    on = connection(end=seconds)
    told = call(12, 1, HEARTBEAT, {"throttleTimeMs": 8_000, "errorCode": 0}, took=0, on=on)
    waits = call(12, 1, HEARTBEAT, took=seconds, on=on)
    on.ended_by, on.ended_direction = "rst", 0
    assert findings("response-timeout", [told, waits]) == []
    free = call(12, 1, HEARTBEAT, {"throttleTimeMs": 0, "errorCode": 0}, took=0, on=on)
    assert len(findings("response-timeout", [free, waits])) == 1


def test_who_never_answered_may_speak_another_protocol() -> None:
    assert findings("response-timeout", unanswered(60)[1:]) == []
    # A broker that serves others takes up no connection beyond max.connections.
    served = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, on=connection(49_000))
    assert finding("response-timeout", [served, *unanswered(60)[1:]]).count == 1


def test_a_client_id_that_names_another_group_was_chosen() -> None:
    heartbeat = call(12, 0, HEARTBEAT, ALIVE, client_id="consumer-billing-1")
    for group, count in (("billing", 1), ("audit", 0)):
        joined = {"groupId": group, "memberId": "", "sessionTimeoutMs": 1, "protocols": []}
        calls = [heartbeat, call(11, 2, joined, ALIVE, client_id="consumer-billing-1")]
        assert len(findings("default-client-id", calls)) == count


def test_what_is_sent_behind_a_join_that_waits() -> None:
    """Brokers answer a connection's requests in their order: a LeaveGroup waits for the JoinGroup before it."""
    on = connection(end=30)
    on.ended_by, on.ended_direction = "fin", 0
    alive = call(12, 0, HEARTBEAT, ALIVE, at=-1, on=on)
    join = call(11, 5, {"groupId": "g", "rebalanceTimeoutMs": 60_000}, at=0, took=30, on=on)
    leave = call(13, 3, {"groupId": "g", "members": []}, at=10, took=20, on=on)
    assert findings("response-timeout", [alive, join, leave]) == []
    assert finding("response-timeout", [alive, leave]).count == 1
