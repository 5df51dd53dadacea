"""The comparison notices what is lost, invented, repeated or said wrongly: real items, tampered with."""

from random import Random

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from tests.calls.hand_made import changed
from tests.robustness.compare import Outcome, compare
from tests.robustness.conversations import Conversation, compose
from tests.robustness.damage import lost_inside_large_messages
from tests.robustness.oracle import Expected, expect
from tests.robustness.packets import batches, transmit
from tests.robustness.running import printed

Case = tuple[list[Conversation], Expected, list[Item]]


@pytest.fixture(scope="module")
def case() -> Case:
    """Two connections of which a segment is lost inside a large message of each direction."""
    rng = Random(5)
    conversations = compose(rng, connections=2, calls=12, style="idle", large_every=3)
    packets = lost_inside_large_messages(transmit(conversations, rng), rng)
    return conversations, expect(conversations, packets), printed(batches(packets))


def _compare(case: Case, items: list[Item]) -> Outcome:
    return compare(items, case[0], case[1])


def _whole_call(case: Case) -> Call:
    return next(
        item
        for item in case[2]
        if isinstance(item, Call) and item.request and item.response and item.request.whole and item.response.whole
    )


def test_nothing_tampered_with(case: Case) -> None:
    outcome = _compare(case, case[2])
    assert (outcome.invented, outcome.wrong, outcome.missing) == ([], [], [])
    assert outcome.calls_followed.expected > 0
    assert outcome.headers_followed.expected > 0
    assert outcome.gaps.expected > 0


def test_a_lost_call(case: Case) -> None:
    lost = _whole_call(case)
    outcome = _compare(case, [item for item in case[2] if item is not lost])
    assert outcome.calls_followed.found == outcome.calls_followed.expected - 1


def test_a_call_printed_twice(case: Case) -> None:
    outcome = _compare(case, [*case[2], _whole_call(case)])
    assert len(outcome.invented) == 1
    assert "printed twice" in outcome.invented[0]


def test_a_response_under_another_request(case: Case) -> None:
    call = _whole_call(case)
    others = (item for item in case[2] if isinstance(item, Call) and item.response and item is not call)
    tampered = changed(call, response=next(others).response)
    outcome = _compare(case, [tampered if item is call else item for item in case[2]])
    assert len(outcome.invented) >= 1


def test_a_false_outcome(case: Case) -> None:
    call = _whole_call(case)
    tampered = changed(call, response=None, outcome="response-not-captured")
    assert _compare(case, [tampered]).wrong == []
    tampered = changed(call, outcome="no-response-expected")
    assert len(_compare(case, [tampered]).wrong) == 1


def test_a_gap_told_twice_or_not_at_all(case: Case) -> None:
    gaps = [item for item in case[2] if not isinstance(item, Call) and hasattr(item, "length")]
    assert len(_compare(case, [*case[2], gaps[0]]).wrong) == 1
    outcome = _compare(case, [item for item in case[2] if item is not gaps[0]])
    assert outcome.gaps.found == outcome.gaps.expected - 1
