"""Size prefixes that none can be, and garbage behind messages, between messages that Kafka's own classes wrote."""

from random import Random

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.tcp.events import StreamData
from tests.calls.hand_made import (
    BUDGET,
    arrival,
    connection,
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
)
from tests.robustness.conversations import SentCall, vector_call

SIZES = (-1, -2, -0x80000000, 0, 3, 0x7FFFFFFF)
CONTENTS = (b"", bytes(16), bytes(1_000), b"\x00\x12\x00\x00", b"\xff" * 40, b"\xcd" * 500)
WHERE = ("own segment", "behind", "before")
CLIENT_ID = "producer-1"
Found = list[tuple[int | None, int, str]]


def sent_calls(rng: Random, count: int) -> list[SentCall]:
    """Draw calls that are answered."""
    drawn: list[SentCall] = []
    while len(drawn) < count:
        call = vector_call(rng, len(drawn)).from_client(CLIENT_ID)
        if call.response is not None and call.request.client_id == CLIENT_ID:
            drawn.append(call)
    return drawn


def read(writes: list[tuple[int, bytes]], initiator: int | None = 0) -> tuple[list[Call], Conversation]:
    """Give the calls of a connection in which each write is a segment."""
    of = connection(initiator)
    conversation = Conversation(of, CallLimits(), CallOptions(), BUDGET)
    events = [StreamData(of, side, content, arrival(n), arrival(n)) for n, (side, content) in enumerate(writes, 1)]
    items = [item for event in events for item in conversation.take(event)]
    of.ended_by = "fin"
    return [item for item in [*items, *conversation.end(arrival(1_000))] if isinstance(item, Call)], conversation


def told(call: Call) -> list[str]:
    return [problem.message for problem in call.pairing_problems]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("size", SIZES)
def test_an_impossible_size_is_a_problem_of_the_next_message(size: int, where: str, direction: int, seed: int) -> None:
    rng = Random(f"{seed} {size} {where} {direction}")
    calls = sent_calls(rng, 3)
    # A small message behind zeros in one segment reads like an array of small integers.
    content = rng.choice(CONTENTS if where != "before" else [each for each in CONTENTS if 0 not in each])
    bad = size.to_bytes(4, "big", signed=True) + content
    writes: list[tuple[int, bytes]] = []
    for number, call in enumerate(calls):
        assert call.response is not None
        for side, frame in ((0, call.request.frame), (1, call.response.frame)):
            if (number, side) == (1, direction) and where == "own segment":
                writes.append((side, bad))
            if (number, side) == (1, direction) and where == "before":
                frame = bad + frame
            if (number, side) == (0, direction) and where == "behind":
                frame = frame + bad
            writes.append((side, frame))
    found, _ = read(writes)
    assert [(call.api_key, call.correlation_id, call.outcome) for call in found] == [
        (call.request.api_key, call.request.correlation_id, "answered") for call in calls
    ]
    assert [call.request and call.request.data for call in found] == [call.request.frame[4:] for call in calls]
    assert told(found[1]) == [f"before this message stood an impossible message size, {size}"]
    behind = [f"behind this message, in its segment, stood an impossible message size, {size}"]
    assert told(found[0]) == (behind if where == "behind" else [])
    assert told(found[2]) == []


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("initiator", [0, None])
@pytest.mark.parametrize("is_answered", [True, False])
def test_a_first_request_in_a_buffer_sent_beyond_its_size(is_answered: bool, initiator: int | None, seed: int) -> None:
    rng = Random(f"{seed} {initiator}")
    (call,) = sent_calls(rng, 1)
    assert call.response is not None
    garbage = rng.choice((bytes(998), b"\xff" * 30, b"\xcd" * 500, rng.randbytes(400) + b"\xff", b"\r\n"))
    writes = [(0, call.request.frame + garbage), (1, call.response.frame)]
    found, conversation = read(writes if is_answered else writes[:1], initiator)
    if initiator is None and not is_answered:
        # Nothing but these bytes speaks for a connection whose beginning is not there.
        return
    (first,) = found
    assert (first.api_key, first.correlation_id) == (call.request.api_key, call.request.correlation_id)
    assert first.request is not None
    assert first.request.data == call.request.frame[4:]
    assert first.outcome == ("answered" if is_answered else "unanswered")
    assert conversation.kafka is not None
    if len(garbage) >= 4:
        (text,) = told(first)
        assert text.startswith("behind this message, in its segment, stood ")
    else:
        assert conversation.kafka.correlator.unread == [f"{len(garbage)} bytes, too few for a size prefix"]


@pytest.mark.parametrize("size", [2 << 20, 200 << 20, 1 << 30])
@pytest.mark.parametrize("direction", [0, 1])
def test_a_size_that_the_rest_of_a_connection_does_not_bear_out(direction: int, size: int) -> None:
    """Too little follows for the first bytes of so large a message: they are judged when the connection ends."""
    writes = [(0, metadata_request(1)), (1, metadata_response(1))]
    writes.append((direction, size.to_bytes(4) + bytes.fromhex("0003f1206a756e6b")))
    for number in (2, 3):
        writes += [(0, heartbeat_request(number)), (1, heartbeat_response(number))]
    found, _ = read(writes)
    assert [(call.correlation_id, call.outcome) for call in found] == [(number, "answered") for number in (1, 2, 3)]
    assert [told(call) for call in found] == [
        [],
        [f"before this message stood a message size, {size}, without its message"],
        [],
    ]
