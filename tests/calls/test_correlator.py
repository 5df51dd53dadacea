"""Messages of both directions, one by one, and the calls that they make."""

import struct

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.correlator import VERSIONS_AHEAD
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.streams import KafkaStreams
from tests.calls.hand_made import (
    MILLISECOND,
    arrival,
    connection,
    heartbeat_request,
    heartbeat_response,
    produce_request,
    sized,
    text,
)

CLIENT, SERVER = 0, 1
UNKNOWN_API = 9_000


class Frames:
    """A connection whose messages come one by one, each in a packet of its own."""

    def __init__(self, limits: CallLimits | None = None) -> None:
        self.of = connection()
        self.streams = KafkaStreams(
            self.of, CLIENT, limits or CallLimits(), CallOptions(), (0, 0), Budget(1 << 20), raw_sasl=False
        )
        self.packet = 0
        self.items: list[Item] = []

    def take(self, direction: int, *messages: bytes, missing: int = 0) -> None:
        """Take a segment, of which the capture lacks the last `missing` bytes."""
        self.packet += 1
        data = b"".join(messages)
        captured = data[: len(data) - missing]
        self.streams.take_bytes(direction, captured, missing, arrival(self.packet), None, self.items)

    def end(self, ended_by: str) -> None:
        self.of.ended_by = ended_by
        self.streams.end(arrival(99), arrival(99).time)

    @property
    def in_flight(self) -> int:
        return self.streams.correlator.in_flight

    def calls(self) -> list[tuple[int | None, str, list[str]]]:
        """Give correlation id, outcome and problems of each call that ended since the last time."""
        items, self.items = [*self.items, *self.streams.correlator.take_calls()], []
        return [
            (item.correlation_id, item.outcome, [problem.message for problem in item.pairing_problems])
            for item in items
            if isinstance(item, Call)
        ]


def request(api_key: int, api_version: int, correlation_id: int, client_id: str = "shop") -> bytes:
    return sized(struct.pack(">hhi", api_key, api_version, correlation_id) + text(client_id) + bytes(8))


NO_REQUEST = sized(b"GET / HTTP/1.1\r\n")
FOUND = f"16 bytes that are no request (API key {int.from_bytes(b'GE')})"


def test_a_request_waits_for_its_answer() -> None:
    frames = Frames()
    frames.take(CLIENT, heartbeat_request(7))
    assert (frames.calls(), frames.in_flight) == ([], 1)
    frames.take(SERVER, heartbeat_response(7))
    assert (frames.calls(), frames.in_flight) == ([(7, "answered", [])], 0)
    assert (frames.calls(), frames.streams.correlator.call_count) == ([], 1)


def test_nobody_answers_where_no_acknowledgement_is_asked_for() -> None:
    """Produce with acks 0."""
    frames = Frames()
    frames.take(CLIENT, produce_request(1, acks=0))
    assert frames.calls() == [(1, "no-response-expected", [])]
    frames.take(CLIENT, produce_request(2, acks=1))
    assert (frames.calls(), frames.in_flight) == ([], 1)


@pytest.mark.parametrize(
    ("second", "taken"),
    [
        (request(12, 1, 900), True),
        # Kafka's next releases: the newest version of Heartbeat is 4 (KIP-482).
        (request(12, 4 + VERSIONS_AHEAD, 900, "other"), True),
        # A vendor's API, of the same client, or by the next correlation id.
        (request(UNKNOWN_API, 0, 900), True),
        (request(UNKNOWN_API, 0, 8, "other"), True),
        (NO_REQUEST, False),
    ],
    ids=["known", "newer", "vendor's", "counts up", "none"],
)
def test_what_is_a_request(second: bytes, taken: bool) -> None:
    frames = Frames()
    frames.take(CLIENT, heartbeat_request(7))
    frames.take(CLIENT, second)
    assert frames.in_flight == 1 + taken


def test_a_message_says_what_stood_before_it() -> None:
    frames = Frames()
    frames.take(CLIENT, heartbeat_request(7))
    frames.take(CLIENT, NO_REQUEST)
    frames.take(CLIENT, heartbeat_request(8))
    frames.take(SERVER, heartbeat_response(7))
    frames.take(SERVER, heartbeat_response(8))
    assert frames.calls() == [(7, "answered", []), (8, "answered", [f"before this message stood {FOUND}"])]
    assert frames.streams.correlator.unread == []


def test_a_message_says_what_stood_behind_it_in_its_segment() -> None:
    frames = Frames()
    frames.take(CLIENT, heartbeat_request(7), NO_REQUEST)
    frames.take(SERVER, heartbeat_response(7))
    assert frames.calls() == [(7, "answered", [f"behind this message, in its segment, stood {FOUND}"])]
    assert frames.streams.correlator.unread == [FOUND]


def test_an_answer_that_is_too_small_is_told_by_the_next() -> None:
    frames = Frames()
    frames.take(CLIENT, heartbeat_request(7))
    frames.take(SERVER, sized(b"\0\0\0"))
    frames.take(SERVER, heartbeat_response(7))
    ((_, outcome, problems),) = frames.calls()
    assert outcome == "answered"
    assert len(problems) == 1
    assert problems[0].startswith("before this message stood ")


def test_of_a_request_that_was_cut_in_its_header_the_api_is_told() -> None:
    frames = Frames()
    message = heartbeat_request(7)
    frames.take(CLIENT, message, missing=len(message) - 16)
    frames.take(SERVER, heartbeat_response(7))
    assert frames.calls() == [(7, "answered", ["the capture cuts the header off here"])]


def test_requests_beyond_the_limit_are_given_up_from_the_oldest() -> None:
    frames = Frames(CallLimits(pending_calls=2))
    for number in (1, 2, 3):
        frames.take(CLIENT, heartbeat_request(number))
    ((number, _, problems),) = frames.calls()
    assert (number, problems) == (1, ["too many requests wait for answers: given up by a limit"])
    assert frames.in_flight == 2


def test_requests_that_wait_for_too_long_are_given_up() -> None:
    frames = Frames(CallLimits(pending_ns=10 * MILLISECOND))
    frames.take(CLIENT, heartbeat_request(1))
    frames.take(CLIENT, heartbeat_request(2))
    # The first request came in the first millisecond.
    frames.streams.correlator.give_up_waiting(11 * MILLISECOND - 1)
    assert frames.calls() == []
    frames.streams.correlator.give_up_waiting(11 * MILLISECOND)
    assert [number for number, _, _ in frames.calls()] == [1]
    assert frames.in_flight == 1


@pytest.mark.parametrize(("ended_by", "outcome"), [("fin", "unanswered"), ("capture-end", "response-not-captured")])
def test_the_end_tells_whether_an_answer_was_to_be_seen(ended_by: str, outcome: str) -> None:
    frames = Frames()
    frames.take(CLIENT, heartbeat_request(7))
    frames.end(ended_by)
    assert frames.calls() == [(7, outcome, [])]


def test_tokens_follow_the_first_handshake() -> None:
    """SaslHandshake v0 is followed by tokens without Kafka's headers (KIP-43); PLAIN's is RFC 4616's."""
    frames = Frames()
    frames.take(CLIENT, sized(struct.pack(">hhi", 17, 0, 1) + text("shop") + text("PLAIN")))
    frames.take(SERVER, sized(struct.pack(">ihi", 1, 0, 1) + text("PLAIN")))
    frames.take(CLIENT, sized(b"\0alice\0secret"))
    frames.take(SERVER, sized(b""))
    frames.take(CLIENT, heartbeat_request(2))
    frames.take(SERVER, heartbeat_response(2))
    handshake, sent, answered, heartbeat = frames.items
    assert isinstance(handshake, Call)
    assert isinstance(sent, RawToken)
    assert isinstance(answered, RawToken)
    assert isinstance(heartbeat, Call)
    assert [(each.direction, each.size) for each in (sent, answered)] == [("request", 13), ("response", 0)]
    assert (handshake.principal, heartbeat.principal) == (None, "User:alice")
    assert heartbeat.security_protocol == "SASL_PLAINTEXT"
