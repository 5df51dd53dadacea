"""Encodings beside the examples of the format's documentation."""

from array import array

import pytest

from kafkasniff.tables.parquet.encodings import bit_packed, delta_packed, list_levels, present, run_of


def test_bits_are_packed_from_the_lowest_on() -> None:
    # The numbers 1 to 7 of three bits (encodings.html, "RLE / bit-packing hybrid"), one group of eight.
    assert bit_packed(array("q", range(8)), 3) == bytes([1 << 1 | 1, 0b10001000, 0b11000110, 0b11111010])


def test_equal_values_are_a_run() -> None:
    assert bit_packed(array("q", [3] * 100), 2) == run_of(3, 100, 2) == bytes([0xC8, 0x01, 3])


@pytest.mark.parametrize(
    ("numbers", "first", "least", "widths"),
    [([1, 2, 3, 4, 5], 2, 2, [0, 0, 0, 0]), ([7, 5, 3, 1, 2, 3, 4, 5], 14, 3, [2, 0, 0, 0])],
)
def test_differences_are_those_of_the_documentation(
    numbers: list[int], first: int, least: int, widths: list[int]
) -> None:
    # "Delta encoding", examples 1 and 2: the first value, the least difference (both zigzag), and the widths.
    found = delta_packed(array("q", numbers), False)
    assert list(found[:10]) == [0x80, 0x01, 4, len(numbers), first, least, *widths]


def test_only_what_is_there_is_kept() -> None:
    for code in "bhiq":
        assert list(present(array(code, [1, 2, 3, 4]), bytearray([0b1010]), 4, 2)) == [2, 4]
        assert list(present(array(code, [1, 2, 3, 4]), None, 3, 0)) == [1, 2, 3]


def test_levels_of_lists() -> None:
    # [a, b], [], null, [c]
    repetitions, definitions = list_levels(array("i", [0, 2, 2, 2, 3]), bytearray([0b1011]), 4, 3)
    assert list(repetitions) == [0, 1, 0, 0, 0]
    assert list(definitions) == [3, 3, 1, 0, 3]
