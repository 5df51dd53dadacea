"""Pairing: first in, first out, with the id checked, against what a reader of the capture would say."""

import pytest

from kafkasniff.calls.correlation.pairing import PATIENCE, Pair, Pairing, acks_cut_off, expects_response
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.limits import Budget
from kafkasniff.protocol.headers import read_request_header
from tests.calls.hand_made import arrival, heartbeat_request, heartbeat_response


def request(pairing: Pairing, correlation_id: int, packet: int) -> list[Pair]:
    content = heartbeat_request(correlation_id)[4:]
    frame = Frame(len(content), content, arrival(packet), arrival(packet), 0)
    frame.header = read_request_header(content)
    if pairing.has_early:
        return pairing.pair_early(frame)
    pairing.add_request(frame)
    return []


def response(pairing: Pairing, correlation_id: int, packet: int) -> list[Pair]:
    content = heartbeat_response(correlation_id)[4:]
    return pairing.add_response(Frame(len(content), content, arrival(packet), arrival(packet), 0))


def seen(pairs: list[Pair]) -> list[tuple[int | None, int | None, str]]:
    """The request's packet, the response's packet, the outcome."""
    return [
        (
            pair.request.last.packet if pair.request else None,
            pair.response.last.packet if pair.response else None,
            pair.outcome,
        )
        for pair in pairs
    ]


def test_pipelined_requests_meet_their_answers_in_order() -> None:
    pairing = Pairing(Budget(1 << 20))
    for packet in (1, 2, 3):
        assert request(pairing, packet, packet) == []
    assert [seen(response(pairing, number, 10 + number)) for number in (1, 2, 3)] == [
        [(1, 11, "answered")],
        [(2, 12, "answered")],
        [(3, 13, "answered")],
    ]


def test_ids_that_repeat_are_answered_in_order() -> None:
    pairing = Pairing(Budget(1 << 20))
    request(pairing, 0, 1)
    request(pairing, 0, 2)
    assert seen(response(pairing, 0, 3)) == [(1, 3, "answered")]
    assert seen(response(pairing, 0, 4)) == [(2, 4, "answered")]


def test_a_request_that_a_later_answer_passes_is_unanswered() -> None:
    pairing = Pairing(Budget(1 << 20))
    request(pairing, 1, 1)
    request(pairing, 2, 2)
    assert seen(response(pairing, 2, 3)) == [(1, None, "unanswered"), (2, 3, "answered")]


def test_an_answer_that_fell_into_a_gap_was_not_captured() -> None:
    pairing = Pairing(Budget(1 << 20))
    request(pairing, 1, 1)
    request(pairing, 2, 2)
    pairing.lose_responses(arrival(5))
    missing, answered = response(pairing, 2, 9)
    assert seen([missing, answered]) == [(1, None, "response-not-captured"), (2, 9, "answered")]
    assert missing.pending_ns == 4_000_000


def test_a_response_seen_before_its_request_is_paired() -> None:
    pairing = Pairing(Budget(1 << 20))
    assert response(pairing, 7, 1) == []
    assert seen(request(pairing, 7, 2)) == [(2, 1, "answered")]


def test_an_answer_without_a_request_is_given_when_a_later_one_is_paired() -> None:
    pairing = Pairing(Budget(1 << 20), requests_complete=False)
    assert response(pairing, 4, 1) == []
    request(pairing, 5, 2)
    assert seen(response(pairing, 5, 3)) == [(None, 1, "request-not-captured"), (2, 3, "answered")]


def test_an_answer_that_belongs_to_no_request_is_a_problem_when_all_requests_were_seen() -> None:
    pairing = Pairing(Budget(1 << 20))
    request(pairing, 1, 1)
    assert response(pairing, 8, 2) == []
    pairs = [pair for number in range(PATIENCE) for pair in request(pairing, 100 + number, 3 + number)]
    assert seen(pairs) == [(None, 2, "request-not-captured")]
    assert "correlation id 8 belongs to no request" in pairs[0].problems[0].message
    # The id is the first field of a response.
    assert (pairs[0].problems[0].where, pairs[0].problems[0].offset) == ("response", 0)


def test_the_end_of_a_connection_that_was_seen_leaves_requests_unanswered() -> None:
    pairing = Pairing(Budget(1 << 20))
    request(pairing, 1, 1)
    assert seen(pairing.end(arrival(9), responses_ended=True, partial=None, until=0)) == [(1, None, "unanswered")]


def test_the_end_of_the_capture_leaves_answers_uncaptured() -> None:
    pairing = Pairing(Budget(1 << 20))
    request(pairing, 1, 1)
    (pair,) = pairing.end(arrival(9), responses_ended=False, partial=None, until=arrival(9).time)
    assert (pair.outcome, pair.pending_ns) == ("response-not-captured", 8_000_000)


@pytest.mark.parametrize(
    ("responses_ended", "outcome"), [(True, "unanswered"), (False, "response-not-captured")], ids=["seen", "cut"]
)
def test_a_part_of_an_answer_belongs_to_the_request_of_its_id(responses_ended: bool, outcome: str) -> None:
    for correlation_id, packet in ((1, 5), (8, None)):
        pairing = Pairing(Budget(1 << 20))
        request(pairing, 1, 1)
        part = heartbeat_response(correlation_id)[4:9]
        frame = Frame(len(part) + 5, part, arrival(5), arrival(5), 0)
        assert seen(pairing.end(arrival(9), responses_ended, partial=frame, until=0)) == [(1, packet, outcome)]


def test_what_waits_is_held_until_it_is_paired_or_the_connection_ends() -> None:
    size = len(heartbeat_request(1)) - 4
    budget = Budget(3 * size)
    pairing = Pairing(budget)
    for number in (1, 2, 3):
        request(pairing, number, number)
    assert (pairing.waiting_bytes, budget.left) == (3 * size, False)
    response(pairing, 1, 4)
    assert (pairing.waiting_bytes, budget.left) == (2 * size, True)
    budget.take(size)
    assert not budget.left
    pairing.end(arrival(9), responses_ended=True, partial=None, until=0)
    assert (pairing.waiting_bytes, budget.left) == (0, True)


@pytest.mark.parametrize("taken_first", ["request", "response"])
def test_a_first_answer_from_before_the_first_request_is_not_its_own(taken_first: str) -> None:
    """Ids repeat, as those of old controllers do, and the capture began between a request and its answer."""
    pairing = Pairing(Budget(1 << 20), requests_complete=False)
    if taken_first == "request":
        request(pairing, 9, 2)
        assert response(pairing, 9, 1) == []
    else:
        assert response(pairing, 9, 1) == []
        assert request(pairing, 9, 2) == []
    assert seen(response(pairing, 9, 3)) == [(None, 1, "request-not-captured"), (2, 3, "answered")]


def test_where_clocks_differ_the_first_answer_is_its_own() -> None:
    pairing = Pairing(Budget(1 << 20), requests_complete=False)
    pairs = []
    for number in (8, 9):
        pairs += response(pairing, number, 2 * number)
        pairs += request(pairing, number, 2 * number + 1)
    assert seen(pairs) == [(17, 16, "answered"), (19, 18, "answered")]
    pairing = Pairing(Budget(1 << 20), requests_complete=False)
    response(pairing, 8, 1)
    request(pairing, 8, 2)
    assert seen(pairing.end(arrival(9), responses_ended=True, partial=None, until=0)) == [(2, 1, "answered")]


def produce(version: int, transactional_id: bytes | None, acks: int) -> bytes:
    """Begin a Produce request as Kafka lays it out: header, transactional id (from version 3 on), acks, and more."""
    header = (0).to_bytes(2) + version.to_bytes(2) + (7).to_bytes(4) + b"\0\1c"
    if version < 3:
        before = b""
    elif version < 9:
        before = b"\xff\xff" if transactional_id is None else len(transactional_id).to_bytes(2) + transactional_id
    else:
        header += b"\0"
        size = 0 if transactional_id is None else len(transactional_id) + 1
        # An unsigned varint: seven bits a byte, the lowest first.
        prefix = bytes((size,)) if size < 128 else bytes((size & 127 | 128, size >> 7))
        before = prefix + (transactional_id or b"")
    return header + before + acks.to_bytes(2, signed=True)


@pytest.mark.parametrize("acks", [0, 1, -1, 256])
@pytest.mark.parametrize(
    ("version", "transactional_id"),
    [
        (2, None),
        (3, None),
        (3, b""),
        (8, b"pay"),
        (9, None),
        (9, b"pay"),
        (13, b"a" * 126),
        (13, b"a" * 127),
        (9, b"a" * 300),
    ],
)
def test_acks_are_found_where_kafka_puts_them(version: int, transactional_id: bytes | None, acks: int) -> None:
    whole = produce(version, transactional_id, acks)
    header = read_request_header(whole)
    for there in range(header.end, len(whole) + 3):
        # What follows acks, and then the rest, are no zeros.
        content = (whole + b"\1\2")[:there]
        frame = Frame(len(whole) + 100, content, arrival(1), arrival(1), 0)
        frame.header = header
        assert acks_cut_off(frame) == (there < len(whole))
        assert expects_response(frame) == (there < len(whole) or acks != 0)
    frame = Frame(len(whole), whole, arrival(1), arrival(1), 0)
    frame.header = header
    assert not acks_cut_off(frame)
