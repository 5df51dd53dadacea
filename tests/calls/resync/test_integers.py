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


def test_a_zero_at_the_end_counts_by_its_own_four_bytes() -> None:
    assert are_integers(int32s(*range(1, 7), 0, 0) + b"\x7f", 0, 32)
    assert not are_integers(int32s(*range(1, 5), 0, 0) + b"\x7f", 0, 24)
    # Where they begin is no matter: three zeros in eight.
    assert not are_integers(bytearray(b"\x7f" * 40) + int32s(*range(1, 6), 0, 0, 0), 40, 72)


@pytest.mark.parametrize("value", [1 << 16, 255 << 16, 1 << 24, -1 << 24])
def test_an_integer_of_more_than_two_bytes_is_no_small_one(value: int) -> None:
    assert not are_integers(int32s(1, 2, 3, value, 5, 6), 0, 24)
    assert not begins_array(int32s(1, 2, 3, 4, 5, value, 7, 8), 0, 32)
    assert begins_array(int32s(1, 2, 3, 4, 5, 6, value, 8), 0, 32)


def test_the_last_integer_of_an_array_ends_where_looking_ends() -> None:
    for run, end, begins in ((24, 24, True), (24, 40, True), (40, 24, True), (40, 23, False), (23, 40, False)):
        assert begins_array(int32s(*range(1, 11))[:run], 0, end) is begins, (run, end)


def test_an_array_may_begin_anywhere() -> None:
    assert begins_array(bytearray(b"\xff" * 5) + int32s(*range(1, 7)), 5, 29)
    assert not begins_array(bytearray(b"\xff" * 5) + int32s(*range(1, 6)) + b"\xff", 5, 37)


def test_size_and_id_alone_go_on_with_an_array() -> None:
    """What is behind their eight bytes is another thing."""
    assert not goes_on_at(bytearray(b"\x21\0\0\0" * 8 + bytes(8) + b"\x21"), 32, zeros=False)
    assert goes_on_at(bytearray(b"\x21\0\0\0" * 8 + bytes(4) + b"\x21\0\0\0"), 32, zeros=False)
    # So is what lies more than 32 bytes before them.
    assert not goes_on_at(bytearray(b"\x21\0\0\0" + bytes(32) + b"\x21\0\0\0" * 2), 36, zeros=False)
