from typing import Any

from tests.diagnose.made import Item, arrival, call, connection, finding, findings, report

CLOSED = "connection-closed-by-server"
SERVED = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, on=connection(40_000))
"""Shows that the server serves somebody."""


def refused(count: int, every: float = 1, lasts: float = 0.1, **counters: int) -> list[Item]:
    """ApiVersions requests on connections that the server closes without a byte."""
    items: list[Item] = [SERVED]
    for index in range(count):
        at = index * every
        on = connection(50_000 + index, begin=at, end=at + lasts)
        on.round_trip_ns = 1
        on.counters[1].data_bytes = 0
        for name, value in counters.items():
            setattr(on.counters[0], name, value)
        on.ended_by, on.ended_direction = "rst", 1
        items.append(call(18, 3, {}, None, at=at, took=lasts, on=on))
        items.append(report(on, ended_by="rst", ended_direction=1))
    return items


def test_connections_that_are_refused() -> None:
    assert findings(CLOSED, refused(2)) == []
    found = finding(CLOSED, refused(3))
    assert found.count == 3
    assert found.subject["clientId"] == "shop"
    assert found.subject["server"] == "10.0.0.2:9092"
    assert "max.connections.per.ip" in found.summary
    assert findings(CLOSED, refused(3)[1:]) == []  # The server serves nobody.
    assert findings(CLOSED, refused(9, every=0.01)) == []  # All at once, as when a broker stops.


def test_damaged_and_one_way_captures_are_left_out() -> None:
    for name in ("gaps", "cut_packets"):
        assert findings(CLOSED, refused(9, **{name: 1})) == []
    one_way = refused(9)
    for item in one_way:
        item.connection.counters[1].packets = 0
    assert findings(CLOSED, one_way) == []


def cut(count: int, size: int = 100, ended: int = 1) -> list[Item]:
    """Requests that the server leaves unanswered and closes, behind others that it answered."""
    items: list[Item] = []
    for index in range(count):
        on = connection(50_000 + index, begin=index, end=index + 0.5)
        answered = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, at=index, on=on)
        on.ended_by, on.ended_direction = "fin", ended
        pending = call(0, 9, {"acks": -1, "topicData": []}, None, at=index + 0.2, took=0.3, on=on)
        assert pending.request is not None
        pending.request.size = size
        items += [answered, pending, report(on, ended_direction=ended)]
    return items


def test_connections_that_are_closed_with_a_request_pending() -> None:
    assert findings(CLOSED, cut(2)) == []
    assert "PRODUCE v9 waited" in finding(CLOSED, cut(3)).summary
    large = finding(CLOSED, cut(3, size=2 << 20))
    assert "socket.request.max.bytes" in large.summary
    assert "max.connections" not in large.fix
    assert findings(CLOSED, cut(9, ended=0)) == []


def unasked(count: int, closed_after: float = 0.01, ended: int = 1) -> list[Item]:
    """Writes with acks=0, upon each of which a connection is closed."""
    items: list[Item] = [SERVED]
    for index in range(count):
        on = connection(50_000 + index, begin=index, end=index + 0.2 + closed_after)
        on.first_fin, on.ended_by, on.ended_direction = arrival(index + 0.2 + closed_after), "fin", ended
        versions = call(18, 3, {}, {"errorCode": 0, "apiKeys": []}, at=index, on=on)
        write: dict[str, Any] = {"acks": 0, "topicData": []}
        sent = call(0, 9, write, None, at=index + 0.2, took=0, on=on, outcome="no-response-expected")
        items += [versions, sent, report(on, ended_direction=ended)]
    return items


def test_writes_whose_errors_nobody_is_told() -> None:
    assert findings(CLOSED, unasked(2)) == []
    found = finding(CLOSED, unasked(3))
    assert "closed 3 connections of 10.0.0.1, one after the other, right after PRODUCE v9 with acks=0" in found.summary
    assert found.subject["clientId"] == "shop"
    assert found.fix.startswith("Let the client be told (acks=all)")
    assert findings(CLOSED, unasked(9, closed_after=1.1)) == []
    assert findings(CLOSED, unasked(9, ended=0)) == []


def test_requests_that_are_cut_off_while_they_are_sent() -> None:
    """Producers send records on connections of their own, on which nothing but ApiVersions was answered before."""
    served = call(3, 12, {"topics": []}, {"brokers": [], "topics": []}, on=connection(49_999))
    items: list[Item] = [served]
    for index in range(3):
        on = connection(50_000 + index, begin=index, end=index + 0.5)
        answered = call(18, 3, {}, {"errorCode": 0, "apiKeys": []}, at=index, on=on)
        on.ended_by, on.ended_direction = "fin", 1
        pending = call(0, 9, {"acks": -1, "topicData": []}, None, at=index + 0.2, took=0.3, on=on)
        assert pending.request is not None
        pending.request.size = 300_000
        items += [answered, pending, report(on, ended_direction=1)]
    found = finding(CLOSED, items)
    assert found.subject["clientId"] == "shop"
    assert "requests of 300,000 bytes and more were under way (PRODUCE v9)" in found.summary
    assert "socket.request.max.bytes" in found.summary
    assert findings(CLOSED, items[1:]) == []  # request-before-sasl may be the reason.


def test_what_is_under_way_behind_a_request_of_an_unsupported_version() -> None:
    """As sarama's that is told of an old broker: Kafka 4 closes for its Produce v0, and Metadata goes unanswered."""
    items = cut(3)
    for index in (2, 1, 0):
        pending: Any = items[3 * index + 1]
        old = call(0, 0, {"acks": -1, "topicData": []}, None, at=index + 0.1, took=0.4, on=pending.connection)
        items.insert(3 * index + 1, old)
    assert findings(CLOSED, items) == []
