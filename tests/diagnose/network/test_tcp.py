from typing import Any

from tests.diagnose.made import call, connection, finding, findings, report


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


def test_packets_of_two_mirror_ports_are_counted_once() -> None:
    def mirrored(counter: str, count: int, duplicates: int) -> list[Any]:
        items = tcp(counter, count)
        items[1].connection.counters[1].duplicates = duplicates
        return items

    for rule, counter, least in (
        ("tcp-zero-window", "zero_windows", 2),
        ("tcp-retransmissions", "late_retransmissions", 5),
    ):
        assert findings(rule, mirrored(counter, 2 * least - 2, duplicates=2)) == []
        assert finding(rule, mirrored(counter, 2 * least, duplicates=2)).count == least
        assert finding(rule, mirrored(counter, 2 * least - 2, duplicates=1)).count == 2 * least - 2


def test_what_is_known_of_a_connection_as_a_whole_lasts_as_long() -> None:
    """So that it explains a request that was sent and not answered meanwhile."""
    for rule, counter in (("tcp-zero-window", "zero_windows"), ("tcp-retransmissions", "late_retransmissions")):
        found = finding(rule, tcp(counter, 9))
        assert found.last_time - found.first_time == 1000 * 10**9
