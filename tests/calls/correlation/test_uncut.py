"""Bytes that wait to be cut, against the same bytes in one piece."""

import random

from kafkasniff.calls.correlation.uncut import UncutBytes
from kafkasniff.calls.limits import Budget
from tests.calls.hand_made import connection, data

OF = connection()


def test_bytes_come_out_in_order_however_they_came() -> None:
    rng = random.Random(7)
    for _ in range(50):
        stream = rng.randbytes(2_000)
        ends = sorted([*rng.sample(range(1, 2_000), 150), 2_000])
        uncut = UncutBytes(Budget(1 << 20))
        for packet, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True), 1):
            uncut.push(data(OF, 0, stream[start:end], packet), 0)
        found = b""
        while uncut.count:
            found += uncut.cut(rng.randint(1, 30))
            assert uncut.count == len(stream) - len(found)
        assert found == stream


def test_an_event_may_begin_within_its_data() -> None:
    uncut = UncutBytes(Budget(1 << 20))
    uncut.push(data(OF, 0, b"xxabc", 1), 2)
    uncut.push(data(OF, 0, b"ydef", 2), 1)
    assert [(event.data, start) for event, start in uncut.rest()] == [(b"xxabc", 2), (b"def", 0)]
    assert (uncut.cut(2), uncut.cut(9), uncut.cut(9), uncut.count) == (b"ab", b"c", b"def", 0)


def test_what_is_held_counts_against_the_budget_until_it_is_let_go() -> None:
    budget = Budget(10)
    uncut = UncutBytes(budget)
    uncut.push(data(OF, 0, b"0123456789", 1), 0)
    assert not budget.left
    uncut.cut(1)
    assert budget.left
    assert uncut.drop() == 9
    assert (uncut.count, uncut.rest()) == (0, [])
