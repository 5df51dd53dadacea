"""The search for a frame boundary in bytes that begin anywhere."""

import random

import pytest

from kafkasniff.calls.resync.evidence import Score, score_request
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.response_evidence import score_response
from kafkasniff.calls.resync.search import BoundarySearch
from tests.calls.hand_made import BUDGET, connection, data, heartbeat_response, metadata_request, metadata_response

OF = connection()


def weigh_request(held: HeldStream, place: int) -> Score:
    return score_request(held, place, lambda correlation_id: False)


@pytest.mark.parametrize("tail", [0, 1, 10, 35, 5_000])
@pytest.mark.parametrize("segment", [1, 3, 20, 1448])
def test_the_first_whole_request_behind_the_rest_of_a_message_is_found(tail: int, segment: int) -> None:
    stream = random.Random(tail).randbytes(tail) + metadata_request(1) + metadata_request(2) + metadata_request(3)
    search = BoundarySearch(1 << 20, BUDGET)
    found = None
    for packet, start in enumerate(range(0, len(stream), segment)):
        search.held.push(data(OF, 0, stream[start : start + segment], packet))
        found = search.find_request(weigh_request, again=False)
        if found is not None:
            break
    assert found == tail


def test_an_answer_in_mid_segment_is_found_by_its_id() -> None:
    stream = random.Random(5).randbytes(999) + metadata_response(77) + heartbeat_response(78)
    search = BoundarySearch(1 << 20, BUDGET)
    search.held.push(data(OF, 1, stream, 1))
    pending = {77: (3, 1), 78: (12, 0)}
    found = search.find_response(lambda held, place: score_response(held, place, pending), False, lambda: list(pending))
    assert found == 999


def test_evidence_from_elsewhere_decides_a_place_that_was_open() -> None:
    search = BoundarySearch(1 << 20, BUDGET)
    request = metadata_request(5, client_id="")
    search.held.push(data(OF, 0, b"\x01\x02\x03" + request, 1))
    answers: set[int] = set()

    def weigh(held: HeldStream, place: int) -> Score:
        return score_request(held, place, answers.__contains__)

    assert search.find_request(weigh, again=False) is None
    answers.add(5)
    assert search.find_request(weigh, again=True) == 3


def test_responses_behind_a_gap_prove_themselves_where_no_request_was_captured() -> None:
    search = BoundarySearch(1 << 20, BUDGET)
    search.held.push(data(OF, 1, b"the rest of something", 1))
    search.held.push(data(OF, 1, metadata_response(78), 2))
    assert search.find_lone_response(70) is None
    search.held.push(data(OF, 1, metadata_response(79), 3))
    assert search.find_lone_response(70) == 21


def test_ids_that_do_not_count_on_prove_nothing() -> None:
    search = BoundarySearch(1 << 20, BUDGET)
    search.held.push(data(OF, 1, metadata_response(78) + metadata_response(79), 2))
    assert search.find_lone_response(79) is None
