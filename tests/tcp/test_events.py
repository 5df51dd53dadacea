"""Endpoints as text, and what a side of a run says of its segments."""

from itertools import accumulate

from kafkasniff.tcp.events import Endpoint, RunSide


def test_ipv6_stands_in_brackets() -> None:
    assert str(Endpoint("10.0.0.1", 9092)) == "10.0.0.1:9092"
    assert str(Endpoint("2001:db8::1", 9092)) == "[2001:db8::1]:9092"


def test_the_sizes_of_segments_of_a_run() -> None:
    lengths = [7, 9, 4, 9, 3]
    side = RunSide(range(5), [*accumulate(lengths)], [0] * 5, range(5), 9, 2)
    for first in range(5):
        for stop in range(first + 1, 6):
            part = lengths[first:stop]
            assert side.sizes(first, stop) == (part[-1], max(part), part.count(max(part)))
