"""Packets in, calls out: numbers, counts, and what the passing of time brings."""

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import SWEEP_NS, Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.reports import ConnectionReport, Gap
from tests.calls.hand_made import heartbeat_request, heartbeat_response, metadata_request, metadata_response
from tests.tcp.conversations import MILLISECOND, START, Talk, batch

SECOND = 1_000 * MILLISECOND


def calls(items: list[Item]) -> list[tuple[int, int | None, str]]:
    return [(item.number, item.correlation_id, item.outcome) for item in items if isinstance(item, Call)]


def two_calls() -> Talk:
    talk = Talk().open()
    talk.send(0, metadata_request(1)).send(1, metadata_response(1))
    return talk.send(0, heartbeat_request(2)).send(1, heartbeat_response(2))


@pytest.mark.parametrize("size", [1, 3, 100])
def test_calls_are_numbered_whatever_the_batches(size: int) -> None:
    frames, engine = two_calls().close().frames, Engine()
    items: list[Item] = []
    for begin in range(0, len(frames), size):
        items += engine.feed(batch(frames[begin : begin + size], first_packet=1 + begin))
    items += engine.flush()
    assert calls(items) == [(1, 1, "answered"), (2, 2, "answered")]
    assert (engine.counts.calls, engine.counts.kafka_connections, engine.counts.gaps) == (2, 1, 0)
    assert engine.notes() == []


@pytest.mark.parametrize("reports", [False, True])
def test_reports_of_connections_are_given_where_they_are_wanted(reports: bool) -> None:
    engine = Engine(report_connections=reports)
    items = engine.feed(batch(two_calls().close().frames)) + engine.flush()
    assert [item.calls for item in items if isinstance(item, ConnectionReport)] == ([2] if reports else [])


def test_requests_in_flight_are_those_that_wait() -> None:
    engine = Engine()
    engine.feed(batch(Talk().open().send(0, metadata_request(1)).send(0, heartbeat_request(2)).frames))
    assert engine.in_flight() == (1, 2)
    # The capture ends before the connection does: an answer may have come later.
    assert calls(engine.flush()) == [(1, 1, "response-not-captured"), (2, 2, "response-not-captured")]
    assert engine.in_flight() == (0, 0)


def test_a_request_that_waits_too_long_is_given_as_time_passes() -> None:
    engine = Engine(call_limits=CallLimits(pending_ns=2 * SECOND))
    engine.feed(batch(Talk().open().send(0, metadata_request(1)).frames))
    assert engine.tick(START + 1 * SECOND) == []
    # Every connection is looked at twice a second.
    assert engine.tick(START + 1 * SECOND + SWEEP_NS) == []
    assert calls(engine.tick(START + 3 * SECOND)) == [(1, 1, "response-not-captured")]
    assert engine.flush() == []


def test_what_lacks_is_counted_and_calls_that_it_falls_into() -> None:
    talk = two_calls()
    lost = talk.frames[-1]
    more = talk.send(0, metadata_request(3)).send(1, metadata_response(3)).close().frames
    engine = Engine()
    items = engine.feed(batch([frame for frame in more if frame is not lost])) + engine.flush()
    assert [(item.direction, item.length) for item in items if isinstance(item, Gap)] == [
        ("response", len(heartbeat_response(2)))
    ]
    assert (engine.counts.gaps, engine.counts.gap_bytes) == (1, len(heartbeat_response(2)))
    assert calls(items) == [(1, 1, "answered"), (2, 2, "response-not-captured"), (3, 3, "answered")]


def test_packets_that_a_snap_length_cut_leave_calls_in_part() -> None:
    frames = two_calls().close().frames
    kept = [frame[:80] for frame in frames]
    engine = Engine()
    items = engine.feed(batch(kept, original=[*map(len, frames)])) + engine.flush()
    found = [item for item in items if isinstance(item, Call)]
    in_part = [
        any(side is not None and len(side.data) < side.size for side in (call.request, call.response)) for call in found
    ]
    assert engine.counts.calls_in_part == sum(in_part) > 0


def test_bytes_that_are_no_message_are_said() -> None:
    talk = Talk().open().send(0, metadata_request(1)).send(1, metadata_response(1)).send(0, b"\xff" * 40)
    engine = Engine()
    engine.feed(batch(talk.close().frames))
    engine.flush()
    assert engine.notes() == ["Kafka connections that end in bytes which are no message: 1"]
