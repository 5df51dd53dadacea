from kafkasniff.reading import Summary
from kafkasniff.render.closing import closing_line
from tests.render.made_calls import made_summary


def test_a_whole_capture() -> None:
    summary = made_summary(1200, lasts=1_500_000_000, connections=3, kafka_connections=2, calls=1)
    assert closing_line(summary) == (
        "1,200 packets, 2 of 3 connections Kafka, 1 call, 1.500 s from 2026-11-20T12:00:00.000000Z"
    )


def test_what_the_capture_lacks() -> None:
    counts = {"connections": 1, "kafka_connections": 1, "calls": 5, "gaps": 2, "gap_bytes": 2896}
    summary = made_summary(10, 4, one_way_connections=1, missing_beginnings=1, **counts)
    assert closing_line(summary) == (
        "10 packets, 1 of 1 connection Kafka, 5 calls, 2 gaps of 2.9 kB, 4 cut packets, 1 one-way connection, "
        "1 connection without a beginning"
    )


def test_what_failed() -> None:
    assert closing_line(Summary(), {"TypeError": 2, "KeyError": 1}).endswith(
        ", 3 not shown whole (KeyError, TypeError)"
    )
