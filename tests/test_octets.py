"""Reads of numbers and parts of bytes, against `struct` and slices."""

import struct
from collections.abc import Callable

import pytest

from kafkasniff import octets

DATA = bytes.fromhex("00 7f 80 ff fe 01 00 00 ff ff ff ff")


@pytest.mark.parametrize(
    ("read", "form"), [(octets.unsigned16, ">H"), (octets.unsigned32, ">I"), (octets.signed32, ">i")]
)
def test_numbers_are_those_of_struct(read: Callable[[bytes, int], int], form: str) -> None:
    size = struct.calcsize(form)
    for place in range(len(DATA) - size + 1):
        assert read(DATA, place) == struct.unpack_from(form, DATA, place)[0]
    for place in (-1, len(DATA) - size + 1, len(DATA)):
        with pytest.raises(IndexError):
            read(DATA, place)


def test_parts_are_there_whole_or_not_at_all() -> None:
    assert octets.part(DATA, 1, 4) == DATA[1:4]
    assert octets.part(DATA, 12, 12) == b""
    for start, end in [(-1, 3), (3, 2), (0, 13)]:
        with pytest.raises(IndexError):
            octets.part(DATA, start, end)


def test_bytes_are_compared_where_all_are_there() -> None:
    assert octets.is_at(DATA, 2, b"\x80\xff", 2)
    assert not octets.is_at(DATA, 1, b"\x80\xff", 2)
    assert not octets.is_at(DATA, 2, b"\x80\xff\xfe", 2)
    for place, length in [(11, 2), (-1, 1)]:
        with pytest.raises(IndexError):
            octets.is_at(DATA, place, b"\xff\xff", length)
