import numpy as np

from kafkasniff.metrics.breakdown import OTHER, SUMS, Breakdown, Row, between, merged, total
from kafkasniff.metrics.histogram import BUCKETS


def add(breakdown: Breakdown, keys: list[tuple[str, ...]], now: float = 0.0) -> None:
    numbers = np.array([breakdown.number(key) for key in keys])
    sums = np.ones((len(SUMS), len(keys)))
    breakdown.add(numbers, sums, np.arange(len(keys)) % 3 - 1, now)


def calls(rows: dict[tuple[str, ...], Row]) -> dict[tuple[str, ...], float]:
    return {key: row["calls"] for key, row in rows.items()}


def test_names_beyond_the_limit_are_one() -> None:
    breakdown = Breakdown(("client_id",), 3)
    add(breakdown, [(f"client-{number % 50}",) for number in range(200)])
    add(breakdown, [("client-1",), ("late",)])
    rows = breakdown.rows()
    assert calls(rows) == {("client-0",): 4, ("client-1",): 5, ("client-2",): 4, (OTHER,): 189}
    assert int(total(rows.values()).buckets.sum()) == 133 + 1
    assert len(breakdown) == 3


def test_who_is_called_other_is_one_with_the_others() -> None:
    breakdown = Breakdown(("client_id",), 1)
    add(breakdown, [("other",), ("a",), ("b",)])
    assert calls(breakdown.rows()) == {(OTHER,): 3}


def test_names_are_safe_and_short() -> None:
    breakdown = Breakdown(("client_id",), 9)
    add(breakdown, [("a\x1b[2J",), ("x" * 10_000,), ("x" * 20_000,)])
    assert calls(breakdown.rows()) == {("a\\x1b[2J",): 1, ("x" * 127 + "…",): 2}


def test_idle_names_make_room_and_no_sooner() -> None:
    breakdown = Breakdown(("client_id",), 2)
    add(breakdown, [("a",), ("b",), ("c",)], 1.0)
    add(breakdown, [("b",)], 5.0)
    before = breakdown.rows()
    breakdown.forget(3.0)
    add(breakdown, [("c",), ("a",)], 6.0)
    rows = breakdown.rows()
    assert calls(rows) == {("b",): 2, ("c",): 1, (OTHER,): 2}
    # Nothing came of `b`, and what `c` had before was of others.
    assert calls(between(rows, before)) == {("c",): 1, (OTHER,): 1}
    assert rows["c",].buckets.shape == (BUCKETS,)


def test_merging_adds_up_one_part_of_keys() -> None:
    breakdown = Breakdown(("api_name", "server"), 9)
    add(breakdown, [("FETCH", "a"), ("FETCH", "b"), ("PRODUCE", "b")])
    rows = breakdown.rows()
    assert calls(merged(rows, 0)) == {("FETCH",): 2, ("PRODUCE",): 1}
    assert calls(merged(rows, 1)) == {("a",): 1, ("b",): 2}
