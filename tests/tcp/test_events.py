"""Endpoints as text, and what the classes of events are equal by."""

from kafkasniff.tcp.events import DirectionCounters, Endpoint
from tests.calls.hand_made import connection, data


def test_ipv6_stands_in_brackets() -> None:
    assert str(Endpoint("10.0.0.1", 9092)) == "10.0.0.1:9092"
    assert str(Endpoint("2001:db8::1", 9092)) == "[2001:db8::1]:9092"


def test_counters_begin_at_zero_and_are_equal_by_what_they_count() -> None:
    counters = DirectionCounters(packets=3)
    assert (counters.packets, counters.gap_bytes) == (3, 0)
    assert counters.as_dict() == {**DirectionCounters().as_dict(), "packets": 3}
    assert counters == DirectionCounters(packets=3) != DirectionCounters(packets=3, gaps=1)


def test_data_are_equal_by_all_that_is_known() -> None:
    of = connection()
    one = data(of, 0, b"one", 1)
    assert one == data(of, 0, b"one", 1)
    assert one not in (data(of, 1, b"one", 1), data(of, 0, b"one", 2), data(connection(), 0, b"one", 1))
    assert one.with_data(b"two") == data(of, 0, b"two", 1)
