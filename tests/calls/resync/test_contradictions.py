"""Bytes that came with other contents too are a problem of the message that they belong to."""

from kafkasniff.calls.call import Call
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.streams import CallOptions
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
