"""Bytes that came with other contents too are a problem of the message that they belong to."""

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.resync.contradictions import MOST, Contradictions
from kafkasniff.tcp.events import Connection, StreamConflict, StreamData
from tests.calls.hand_made import (
    BUDGET,
    arrival,
    connection,
    data,
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
)

SHOWN = "a segment repeated bytes from here on with other contents: the first seen are shown"
GIVEN = "bytes of a message before this one were repeated with other contents when it had been given"


def conflict(of: Connection, direction: int, start: int, end: int) -> StreamConflict:
    return StreamConflict(of, direction, ((start, end),), arrival(9))


def told(of: Connection, events: list[StreamData | StreamConflict]) -> list[tuple[int, str, int | None, str]]:
    """Give correlation id, side, offset and text of each problem."""
    conversation = Conversation(of, CallLimits(), CallOptions(), BUDGET)
    items = [item for event in events for item in conversation.take(event)] + conversation.end(arrival(99))
    found = [(item.correlation_id, each) for item in items if isinstance(item, Call) for each in item.problems]
    return [(number, each.where, each.offset, each.message) for number, each in found]


def test_a_request_that_waits_for_its_answer() -> None:
    of = connection()
    request, response = metadata_request(1), metadata_response(1)
    events = [data(of, 0, request, 1), conflict(of, 0, 14 - len(request), 16 - len(request)), data(of, 1, response, 3)]
    assert told(of, events) == [(1, "request", 10, SHOWN)]


def test_a_message_under_way() -> None:
    of = connection()
    response = metadata_response(1)
    events = [
        data(of, 0, metadata_request(1), 1),
        data(of, 1, response[:20], 2),
        conflict(of, 1, -5, -1),
        conflict(of, 1, -20, -18),
        data(of, 1, response[20:], 3),
    ]
    assert told(of, events) == [(1, "response", 0, SHOWN)]


def test_bytes_contradicted_before_they_could_be_delivered() -> None:
    of = connection()
    first, second = heartbeat_request(1), heartbeat_request(2)
    both = data(of, 0, first + second, 1, contradicted=((len(first) + 8, len(first) + 9),))
    events = [both, data(of, 1, heartbeat_response(1) + heartbeat_response(2), 2)]
    assert told(of, events) == [(2, "request", 4, SHOWN)]


def test_a_message_that_was_given_is_told_by_the_next_one() -> None:
    of = connection()
    events = [
        data(of, 0, heartbeat_request(1), 1),
        data(of, 1, heartbeat_response(1), 2),
        conflict(of, 1, -2, 0),
        data(of, 0, heartbeat_request(2), 3),
        data(of, 1, heartbeat_response(2), 4),
        data(of, 0, heartbeat_request(3), 5),
        data(of, 1, heartbeat_response(3), 6),
    ]
    assert told(of, events) == [(2, "response", None, GIVEN)]


def test_one_segment_may_contradict_several_messages() -> None:
    of = connection()
    requests = [heartbeat_request(number) for number in (1, 2, 3)]
    length = sum(map(len, requests))
    events = [
        *(data(of, 0, request, number) for number, request in enumerate(requests)),
        StreamConflict(of, 0, ((-length, -length + 1), (-1, 0)), arrival(9)),
        data(of, 1, b"".join(heartbeat_response(number) for number in (1, 2, 3)), 10),
    ]
    assert [each[:3] for each in told(of, events)] == [(1, "request", 0), (3, "request", len(requests[2]) - 5)]


def test_a_connection_that_is_not_decided_yet() -> None:
    of = connection(initiator=None)
    request = metadata_request(41)
    events = [
        data(of, 0, request[:12], 1),
        conflict(of, 0, -1, 0),
        data(of, 0, request[12:], 2),
        data(of, 1, metadata_response(41), 3),
        data(of, 0, heartbeat_request(42), 4),
        data(of, 1, heartbeat_response(42), 5),
    ]
    assert told(of, events) == [(41, "request", 7, SHOWN)]


def frame(stream_offset: int, size: int = 20) -> Frame:
    """Give a frame that stands in its stream from `stream_offset` on, with 4 bytes of size before it."""
    return Frame(size, bytes(size), arrival(1), arrival(1), stream_offset)


def said(ranges: list[tuple[int, int]], of: Frame) -> list[tuple[int | None, str]]:
    found = Contradictions()
    found.add(1, ranges, "response", ())
    found.describe(1, of, "response")
    return [(each.offset, each.message) for each in of.problems]


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([(96, 100)], [(None, GIVEN)]),
        ([(99, 101)], [(0, SHOWN)]),
        ([(110, 111), (105, 106)], [(1, SHOWN)]),
        ([(123, 124)], [(19, SHOWN)]),
        ([(124, 130)], []),
        ([(90, 95), (104, 105)], [(0, SHOWN), (None, GIVEN)]),
    ],
)
def test_a_frame_says_what_of_its_bytes_and_of_those_before_it_was_contradicted(
    ranges: list[tuple[int, int]], expected: list[tuple[int | None, str]]
) -> None:
    """It has the bytes from 100 up to 124, its content begins at 104."""
    assert said(ranges, frame(100)) == expected


def test_what_was_said_is_forgotten_but_for_what_lies_behind_the_frame() -> None:
    found = Contradictions()
    found.add(0, [(90, 95), (110, 124)], "request", ())
    found.describe(0, frame(100), "request")
    assert not found
    found.add(0, [(120, 125), (130, 131)], "request", ())
    assert found
    found.describe(0, frame(100), "request")
    following = frame(124, 3)
    found.describe(0, following, "request")
    assert [(each.offset, each.message) for each in following.problems] == [(0, SHOWN)]
    other = frame(131)
    found.describe(1, other, "response")
    assert (other.problems, bool(found)) == ([], False)


@pytest.mark.parametrize(
    ("begin", "end", "told", "left"),
    [
        (90, 100, None, True),
        (95, 101, 0, True),
        (100, 124, 0, False),
        (110, 112, 6, False),
        (123, 124, 19, False),
        (123, 125, 19, True),
        (124, 130, None, True),
    ],
)
def test_a_waiting_frame_says_it_and_what_reaches_beyond_it_is_left(
    begin: int, end: int, told: int | None, left: bool
) -> None:
    found, waiting = Contradictions(), frame(100)
    found.add(0, [(begin, end)], "request", [waiting])
    assert [each.offset for each in waiting.problems] == ([] if told is None else [told])
    assert bool(found) == left


def test_a_waiting_frame_says_once_that_it_was_contradicted() -> None:
    found, waiting = Contradictions(), frame(100)
    for _ in range(2):
        found.add(0, [(90, 95), (112, 113), (110, 111)], "request", [waiting])
    assert [(each.where, each.offset, each.message) for each in waiting.problems] == [("request", 6, SHOWN)]


def test_a_thousand_places_are_remembered() -> None:
    for count, expected in ((MOST - 1, [(6, SHOWN)]), (MOST, [])):
        found, of = Contradictions(), frame(100)
        for _ in range(count):
            found.add(0, [(1_000, 1_001)], "request", ())
        found.add(0, [(110, 111), (120, 121)], "request", ())
        found.describe(0, of, "request")
        assert [(each.offset, each.message) for each in of.problems] == expected


@pytest.mark.parametrize(("before", "told_of"), [(1_023, True), (1_024, False)])
def test_a_thousand_places_are_remembered_while_a_connection_is_not_decided(before: int, told_of: bool) -> None:
    of = connection(initiator=None)
    request = metadata_request(41)
    events = [
        data(of, 0, request[:12], 1),
        StreamConflict(of, 1, tuple((number, number + 1) for number in range(5_000, 5_000 + before)), arrival(2)),
        conflict(of, 0, -1, 0),
        data(of, 0, request[12:], 3),
        data(of, 1, metadata_response(41), 4),
        data(of, 0, heartbeat_request(42), 5),
        data(of, 1, heartbeat_response(42), 6),
    ]
    assert told(of, events) == ([(41, "request", 7, SHOWN)] if told_of else [])
