"""Encodings after X.690, 8.1."""

import pytest

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.sasl.der import Element, integer, read_element, read_elements


def test_short_and_long_lengths() -> None:
    assert read_element(bytes.fromhex("02 01 05 ff")) == Element(0x02, b"\x05", 3)
    assert read_element(bytes.fromhex("ff 04 8102 cafe"), 1) == Element(0x04, b"\xca\xfe", 6)
    assert read_element(bytes.fromhex("04 820001 aa")) == Element(0x04, b"\xaa", 5)


def test_elements_in_a_row() -> None:
    assert [element.tag for element in read_elements(bytes.fromhex("02 01 05 04 00"))] == [2, 4]
    assert read_elements(b"") == []


@pytest.mark.parametrize("data", ["", "02", "02 02 05", "30 80", "04 85 0000000000", "04 82 00"])
def test_what_is_not_whole_is_refused(data: str) -> None:
    with pytest.raises(ProtocolError):
        read_element(bytes.fromhex(data))


def test_the_number_of_elements_is_bounded() -> None:
    with pytest.raises(ProtocolError, match="at most 64"):
        read_elements(b"\x05\x00" * 65)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("", 0),
        ("25", 37),
        ("ff", -1),
        ("8000000000000000", -(2**63)),
        ("7fffffffffffffff", 2**63 - 1),
        ("010000000000000000", "0x010000000000000000"),
        ("00" * 32, "0x" + "00" * 32),
        ("ab" * 4000, "0x" + "ab" * 32 + "… (4000 bytes)"),
    ],
)
def test_integers_beyond_64_bits_are_text(content: str, value: int | str) -> None:
    assert integer(bytes.fromhex(content)) == value


def test_an_element_that_is_cut_says_how_much_of_it_is_there() -> None:
    with pytest.raises(ProtocolError, match="expected 5 bytes, found 2") as caught:
        read_element(bytes.fromhex("ff 04 05 aabb"), 1)
    assert caught.value.offset == 1
