"""Arrays of small integers, laid out by hand as Kafka writes `[]int32`: four bytes each, big-endian."""

import struct

import pytest

from kafkasniff.calls.resync.integers import are_integers, begins_array, goes_on_at


def int32s(*values: int) -> bytearray:
    return bytearray(struct.pack(f">{len(values)}i", *values))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (range(1, 11), True),
        (range(65_530, 65_540), False),  # the last four have more than two bytes
        ([0, 0, *range(1, 7)], True),  # one in four is zero
        ([0, 0, *range(1, 6)], False),  # more than that
        ([-1] * 10, False),
    ],
)
def test_integers_below_65536_of_which_few_are_zero(values: list[int], expected: bool) -> None:
    run = int32s(*values)
    assert are_integers(run, 0, len(run)) is expected


def test_an_array_has_six_integers_at_least() -> None:
    behind = b"\x7f" * 8
    for count in range(10):
        assert begins_array(int32s(*range(1, count + 1)) + behind, 0, 80) is (count >= 6), count
    # The limit is where looking ends, not the run.
    assert not begins_array(int32s(*range(1, 11)), 0, 20)


def test_an_array_goes_on_where_bytes_stand_in_its_line() -> None:
    array = int32s(*range(1, 11))
    assert goes_on_at(array, 32, zeros=False)
    # A size and an id at another distance from the integers: one byte more lies between.
    shifted = int32s(*range(1, 9)) + b"\0" + struct.pack(">ii", 20, 7)
    assert not goes_on_at(shifted, 33, zeros=False)


def test_zeros_alone_are_an_array_where_the_caller_says_so() -> None:
    zeros = bytearray(40)
    assert goes_on_at(zeros, 32, zeros=True)
    assert not goes_on_at(zeros, 32, zeros=False)
    # At the very beginning nothing is before it that could be another thing.
    assert goes_on_at(bytearray(8), 0, zeros=False)
