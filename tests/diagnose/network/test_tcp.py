from typing import Any

from kafkasniff.tcp.events import Endpoint
from tests.diagnose.made import call, connection, finding, findings, report
from tests.diagnose.network.attempting import attempts


def test_dead_broker() -> None:
    assert findings("dead-broker-connect-loop", attempts(4)) == []
    found = finding("dead-broker-connect-loop", attempts(5))
    assert found.subject["server"] == "10.0.0.9:9092"
    assert len(found.subject["client"]) == 5
    assert "none was answered" in finding("dead-broker-connect-loop", attempts(5, reset=False)).summary


def test_a_port_that_turns_out_to_speak_http_is_no_brokers() -> None:
    """The REST port of a Connect worker that starts, asked again and again by whoever waits for it."""
    refused = attempts(60, begin=10)
    later = connection(45_000, begin=90, end=91, server=Endpoint("10.0.0.9", 9092))
    assert len(findings("dead-broker-connect-loop", [*refused, report(later, "kafka")])) == 1
    assert findings("dead-broker-connect-loop", [*refused, report(later, "http")]) == []


def test_a_broker_that_accepts_now_and_then_is_not_dead() -> None:
    mixed = [*attempts(4), *attempts(1, accepted=True, begin=4), *attempts(4, begin=5)]
    assert findings("dead-broker-connect-loop", mixed) == []


def tcp(counter: str, count: int, packets: int = 10) -> list[Any]:
    on = connection()
    on.counters[0].packets, on.counters[1].packets = packets, 0
    setattr(on.counters[0], counter, count)
    return [call(3, 1, {"topics": None}, on=on), report(on)]


def test_zero_windows() -> None:
    assert findings("tcp-zero-window", tcp("zero_windows", 1)) == []
    found = finding("tcp-zero-window", tcp("zero_windows", 2))
    assert (found.count, found.subject["clientId"]) == (2, "shop")
    assert "10.0.0.1:50000 closed its window" in found.summary


def test_retransmissions() -> None:
    assert findings("tcp-retransmissions", tcp("late_retransmissions", 4)) == []
    assert finding("tcp-retransmissions", tcp("late_retransmissions", 5)).count == 5
    assert finding("tcp-retransmissions", tcp("late_retransmissions", 5, packets=5_000)).count == 5
    assert findings("tcp-retransmissions", tcp("late_retransmissions", 5, packets=5_001)) == []


def test_a_restart_is_no_dead_broker() -> None:
    """Ten attempts, one a second; what matters is whether the broker was there before, or comes."""
    rule, refused = "dead-broker-connect-loop", attempts(10, begin=10)
    assert len(findings(rule, refused)) == 1
    assert findings(rule, [*refused, *attempts(1, accepted=True, begin=20)]) == []
    assert findings(rule, [*attempts(1, accepted=True), *refused]) == []
    assert findings(rule, [*attempts(1, accepted=True), *attempts(30, begin=10)]) == []
    lasting = attempts(31, begin=10)
    assert len(findings(rule, [*attempts(1, accepted=True), *lasting])) == 1
    assert len(findings(rule, [*lasting, *attempts(1, accepted=True, begin=41)])) == 1


def test_silence_around_a_start_or_stop_is_a_warning() -> None:
    """An error where all of the capture shows it, or it takes longer than a restart; when the port came up is told."""
    rule, other = "dead-broker-connect-loop", report(connection(40_000, begin=0, end=60))
    assert finding(rule, attempts(10)).severity == "error"
    brief = finding(rule, [*attempts(10, begin=10), other])
    assert brief.severity == "warning"
    assert "started or stopped in order" in brief.summary
    assert finding(rule, [*attempts(31, begin=10), other]).severity == "error"
    came = finding(rule, [*attempts(31, begin=10), *attempts(1, accepted=True, begin=45), other])
    assert came.severity == "warning"
    assert "the port came up at 12:00:45 UTC, 35.0 s after the first" in came.summary


def test_connections_that_end_late_tell_of_the_time_before() -> None:
    before = attempts(1, accepted=True)
    assert findings("dead-broker-connect-loop", [*attempts(10, begin=10), *before]) == []
