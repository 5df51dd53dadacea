"""The bounds of the calls layer are kept and reported."""

from random import Random

from kafkasniff.calls.engine import Engine
from kafkasniff.calls.limits import Budget, CallLimits
from tests.robustness.bounds import batches, data


def test_a_budget_says_what_was_reached_and_how_often() -> None:
    budget = Budget(3 << 20)
    assert budget.notes() == []
    for text in (None, "another limit", None):
        budget.reach(text)
    assert budget.notes() == [
        "bytes let go: all connections together held more than 3 MiB: 2",
        "another limit: 1",
    ]


def test_a_budget_has_room_until_it_is_used_up() -> None:
    budget = Budget(100)
    budget.take(60)
    assert budget.left
    budget.take(40)
    assert not budget.left
    budget.give_back(90)
    assert budget.left


def test_a_connection_that_proves_nothing_is_given_up() -> None:
    engine = Engine(call_limits=CallLimits(undecided_bytes=2 << 20, search_bytes=1 << 20))
    random_bytes = data(1, 3 << 20, b"", Random(1))
    items = [item for batch in batches(random_bytes) for item in engine.feed(batch)]
    assert items == []
    assert engine.notes() == [
        "direction searched for messages in vain for more than 1 MiB: 1",
        "connection taken for no Kafka: nothing in its first 2 MiB proves it: 1",
    ]
    assert engine.flush() == []
