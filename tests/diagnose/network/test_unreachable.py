from kafkasniff.tcp.events import Endpoint
from tests.diagnose.made import connection, finding, findings, report
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
    short = finding(rule, attempts(5))
    assert (short.severity, "shorter than a broker takes to start" in short.summary) == ("warning", True)
    assert finding(rule, attempts(6)).severity == "error"
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


def test_attempts_with_a_long_pause_between_are_told_apart() -> None:
    """A broker that starts, and one that stops a minute later: in between nobody asks whether it is there."""
    frame = [report(connection(50_000, begin=-60, end=200, server=Endpoint("10.0.0.1", 9092)))]
    found = finding("dead-broker-connect-loop", [*frame, *attempts(6), *attempts(7, begin=100)])
    assert (found.severity, found.count) == ("warning", 7)
    assert "within 6.0 s" in found.summary
    once_a_minute = [report for index in range(6) for report in attempts(1, begin=60 * index)]
    found = finding("dead-broker-connect-loop", [*frame, *once_a_minute])
    assert (found.severity, found.count) == ("error", 6)
