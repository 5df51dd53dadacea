from typing import Any

import pytest

from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.predicates import Predicate, Values, all_of, any_of, negation


def noting(name: str, holds: bool, cost: int, asked: list[str]) -> Predicate:
    """Give a predicate that notes when it is asked."""

    def test(_: Any) -> bool:
        asked.append(name)
        return holds

    return Predicate(test, cost, of_calls=cost > 1)


def test_the_cheapest_is_asked_first_and_no_more_than_needed() -> None:
    for join, cheap_holds in ((all_of, False), (any_of, True)):
        asked: list[str] = []
        joined = join([noting("dear", not cheap_holds, 10, asked), noting("cheap", cheap_holds, 1, asked)])
        assert joined.holds(None) is cheap_holds
        assert asked == ["cheap"]
        assert (joined.cost, joined.of_calls, joined.depth) == (10, True, 2)


def test_all_any_and_not_are_those_of_logic() -> None:
    true, false = (noting("", holds, 1, []) for holds in (True, False))
    assert [all_of(each).holds(0) for each in ([], [true, true], [true, false])] == [True, True, False]
    assert [any_of(each).holds(0) for each in ([], [false, false], [true, false])] == [False, False, True]
    assert [negation(each).holds(0) for each in (true, false)] == [False, True]


def test_more_than_100_levels_are_refused() -> None:
    predicate = noting("", True, 1, [])
    for _ in range(99):
        predicate = negation(predicate)
    with pytest.raises(FilterError, match="100 levels"):
        negation(predicate)


def test_a_value_is_tested_once_and_remembered() -> None:
    tested: list[str] = []

    def is_orders(value: str) -> bool:
        tested.append(value)
        return value == "orders"

    values = Values("topics", is_orders)
    holds = values.of(lambda item: item)
    assert [holds(each) for each in ("carts", "orders", None, "orders", "carts")] == [False, True, False, True, False]
    assert tested == ["carts", "orders"]
    assert values.tally() == (True, ["carts", "orders"])


def test_long_values_are_tested_and_not_remembered() -> None:
    values = Values("topics", lambda value: len(value) > 3)
    assert values.fits("o" * 251)
    assert values.tally() == (True, [])


def test_tallies_of_processes_add_up() -> None:
    values = Values("topics", lambda value: False)
    values.fits("carts")
    values.add(True, ["orders", "carts"])
    assert values.tally() == (True, ["carts", "orders"])
