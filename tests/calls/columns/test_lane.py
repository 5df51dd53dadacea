"""Runs taken by columns give the calls whose bytes were put into them, or are refused untouched."""

import struct
from collections.abc import Sequence

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.columns.calls import CallRows
from kafkasniff.calls.columns.lane import take_talks
from kafkasniff.calls.columns.talks import Talk, begin_talk
from kafkasniff.calls.conversation import Conversation
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.streams import CallOptions
from kafkasniff.tcp.events import Connection
from tests.calls.hand_made import (
    BUDGET,
    MILLISECOND,
    connection,
    data,
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
    produce_request,
    sized,
    text,
)
from tests.calls.test_runs import made_run

Parts = list[tuple[int, bytes]]


def begun(of: Connection) -> Conversation:
    """A conversation that has had one call, so that who the client is is known."""
    conversation = Conversation(of, CallLimits(), CallOptions(), BUDGET)
    conversation.take(data(of, 0, metadata_request(1), 1))
    assert len(conversation.take(data(of, 1, metadata_response(1), 2))) == 1
    return conversation


def talk_of(conversation: Conversation, of: Connection, parts: Parts) -> Talk:
    talk = begin_talk(made_run(of, parts), conversation)
    assert talk is not None
    return talk


def taken(talk: Talk) -> list[Call]:
    columns, refused = take_talks([talk])
    assert not refused
    return [] if columns is None else list(CallRows(columns, 0, len(columns.run)).calls())


def numbers(calls: list[Call]) -> list[int]:
    return [call.correlation_id for call in calls]


def shown(items: Sequence[Item]) -> list[object]:
    calls = [item for item in items if isinstance(item, Call)]
    return [(call.correlation_id, call.outcome, call.pairing_problems, call.time, call.ended) for call in calls]


PIPELINED: Parts = [
    (0, heartbeat_request(2) + heartbeat_request(3, "other")),
    (1, heartbeat_response(2, 27)),
    (0, metadata_request(4)[:9]),
    (1, heartbeat_response(3)),
    (0, metadata_request(4)[9:]),
    (1, metadata_response(4)),
]


def test_calls_have_what_their_bytes_and_packets_say() -> None:
    of = connection()
    first, second, third = taken(talk_of(begun(of), of, PIPELINED))
    assert [call.api_key for call in (first, second, third)] == [12, 12, 3]
    assert [call.client_id for call in (first, second, third)] == ["shop", "other", "shop"]
    assert first.errors[0][1:3] == ("errorCode", 27)
    # made_run numbers its packets from 10 on, a millisecond from each to the next.
    assert third.request is not None
    assert (third.request.first.packet, third.request.last.packet, third.ended.packet) == (12, 14, 15)
    assert third.total_ns == 3 * MILLISECOND
    assert third.request.data == metadata_request(4)[4:]
    assert third.request.stream_offset == len(
        metadata_request(1) + heartbeat_request(2) + heartbeat_request(3, "other")
    )
    assert third.request_body is not None
    assert third.request_body.value == {"topics": [{"name": "orders"}]}


def test_a_request_of_earlier_is_answered_first() -> None:
    of = connection()
    conversation = begun(of)
    conversation.take(data(of, 0, heartbeat_request(2), 3))
    calls = taken(
        talk_of(conversation, of, [(0, heartbeat_request(3)), (1, heartbeat_response(2) + heartbeat_response(3))])
    )
    assert numbers(calls) == [2, 3]
    assert [call.time.packet for call in calls] == [3, 10]


def test_what_is_left_is_taken_up_by_what_follows() -> None:
    of = connection()
    conversation = begun(of)
    answers = heartbeat_response(2) + heartbeat_response(3)
    talk = talk_of(conversation, of, [(0, heartbeat_request(2) + heartbeat_request(3)), (1, answers[:-1])])
    assert numbers(taken(talk)) == [2]
    (last,) = conversation.take(data(of, 1, answers[-1:], 20))
    assert isinstance(last, Call)
    assert (last.correlation_id, last.outcome, last.time.packet) == (3, "answered", 10)
    assert conversation.report(of.last).calls == 3


FLEXIBLE_HEADER = struct.pack(">hhi", 12, 4, 2) + text("shop")
REFUSED: dict[str, Parts] = {
    "no answer asked for": [(0, produce_request(2, 0) + heartbeat_request(3)), (1, heartbeat_response(3))],
    "answers in another order": [
        (0, heartbeat_request(2) + heartbeat_request(3)),
        (1, heartbeat_response(3) + heartbeat_response(2)),
    ],
    "an answer before its request": [(1, heartbeat_response(2)), (0, heartbeat_request(2))],
    "an answer to nothing": [(0, heartbeat_request(2)), (1, heartbeat_response(2) + heartbeat_response(9))],
    "an impossible size": [(0, heartbeat_request(2) + b"\xff\xff\xff\xf0"), (1, heartbeat_response(2))],
    "an unknown API": [(0, heartbeat_request(2) + sized(struct.pack(">hhi", 999, 1, 3) + text("shop")))],
    "a version beyond all known": [(0, sized(struct.pack(">hhi", 12, 30, 2) + text("shop") + b"\0"))],
    "a request to log in": [(0, sized(struct.pack(">hhi", 17, 1, 2) + text("shop") + text("PLAIN")))],
    "tagged fields in a header": [(0, sized(FLEXIBLE_HEADER + b"\1\5\0" + bytes(12)))],
    "a request of a few bytes": [(0, sized(bytes(6)))],
    "a client id beyond its message": [(0, sized(struct.pack(">hhih", 12, 0, 2, 99) + b"shop"))],
}


@pytest.mark.parametrize("parts", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_odd_is_refused_untouched(parts: Parts) -> None:
    of = connection()
    conversation, fresh = begun(of), begun(of)
    columns, refused = take_talks([talk := talk_of(conversation, of, parts)])
    assert columns is None
    assert refused == [talk]
    for packet, (direction, part) in enumerate(parts, 10):
        event = data(of, direction, part, packet)
        assert shown(conversation.take(event)) == shown(fresh.take(event))


def test_only_a_settled_conversation_at_a_boundary_may_go_by_columns() -> None:
    of = connection()
    run = made_run(of, PIPELINED)
    new = Conversation(of, CallLimits(), CallOptions(), BUDGET)
    assert begin_talk(run, new) is None
    within_a_frame = begun(of)
    within_a_frame.take(data(of, 0, heartbeat_request(2)[:7], 3))
    assert begin_talk(run, within_a_frame) is None
    assert begin_talk(made_run(of, PIPELINED, times_rise=False), begun(of)) is None
    large = [(0, bytes(5_000))]
    assert begin_talk(made_run(of, large), begun(of)) is None
