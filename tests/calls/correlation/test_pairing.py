"""Pairing: first in, first out, with the id checked, against what a reader of the capture would say."""

import pytest

from kafkasniff.calls.correlation.pairing import PATIENCE, Pair, Pairing
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


def test_the_end_of_a_connection_that_was_seen_leaves_requests_unanswered() -> None:
    pairing = Pairing(Budget(1 << 20))
    request(pairing, 1, 1)
    assert seen(pairing.end(arrival(9), responses_ended=True, partial=None, until=0)) == [(1, None, "unanswered")]


def test_the_end_of_the_capture_leaves_answers_uncaptured() -> None:
    pairing = Pairing(Budget(1 << 20))
    request(pairing, 1, 1)
    (pair,) = pairing.end(arrival(9), responses_ended=False, partial=None, until=arrival(9).time)
    assert (pair.outcome, pair.pending_ns) == ("response-not-captured", 8_000_000)


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
