"""Held bytes: what was pushed is there, at its place."""

import random
import struct

import pytest

from kafkasniff.calls.resync.held import HeldStream
from tests.calls.hand_made import BUDGET, connection, data, gap

OF = connection()


def test_bytes_are_read_at_their_places_also_behind_a_gap() -> None:
    held = HeldStream(1000, BUDGET)
    held.push(data(OF, 0, b"abcdef", 1))
    held.push_gap(gap(OF, 0, 4, 2))
    held.push(data(OF, 0, b"klmnop", 3))
    assert held.end == 16
    assert held.read(2, 4) == b"cdef"
    assert held.read(10, 6) == b"klmnop"
    assert held.read(4, 8) is None
    assert held.segment_starts == [0, 10]
    assert list(held.runs(0)) == [(0, b"abcdef"), (10, b"klmnop")]
    assert list(held.runs(7)) == [(10, b"klmnop")]


def test_items_from_a_place_begin_inside_a_segment_and_keep_gaps() -> None:
    held = HeldStream(1000, BUDGET)
    first, second = data(OF, 0, b"abcdef", 1), data(OF, 0, b"klmnop", 3)
    lost = gap(OF, 0, 4, 2)
    held.push(first)
    held.push_gap(lost)
    held.push(second)
    assert held.items_from(3) == [(first, 3), lost, (second, 0)]
    assert held.items_from(10) == [(second, 0)]


def test_a_gap_of_unknown_length_ends_what_was_before() -> None:
    held = HeldStream(1000, BUDGET)
    held.push(data(OF, 0, b"abcdef", 1))
    held.push_gap(gap(OF, 0, None, 2))
    held.push(data(OF, 0, b"ghi", 3))
    assert held.read(0, 6) is None
    assert held.read(6, 3) == b"ghi"


def test_the_limit_holds_and_what_is_kept_is_the_end_of_the_stream() -> None:
    chance = random.Random(1)
    held, stream = HeldStream(5_000, BUDGET), b""
    for packet in range(500):
        content = chance.randbytes(chance.randrange(1, 300))
        stream += content
        held.push(data(OF, 0, content, packet))
        assert held.held <= 5_000
        assert held.held + held.discarded == len(stream)
        first = held.segment_starts[0]
        assert held.read(first, len(stream) - first) == stream[first:]


def test_an_array_that_begins_soon_before_is_one_too() -> None:
    held = HeldStream(1000, BUDGET)
    held.push(data(OF, 0, b"text of any kind before it" + struct.pack(">14i", *range(40, 54)) + b"and more", 1))
    assert held.is_among_small_integers(26 + 8)


def test_the_zeros_of_a_response_are_no_array() -> None:
    held = HeldStream(1000, BUDGET)
    held.push(data(OF, 0, b"text of any kind before it" + struct.pack(">14i", 52, 7, *[0] * 12) + b"and more", 1))
    assert not held.is_among_small_integers(26)


def stream(content: bytes) -> HeldStream:
    held = HeldStream(10_000, BUDGET)
    held.push(data(OF, 0, content, 1))
    return held


def test_an_array_whose_integers_stand_in_another_line_ends_before_what_follows() -> None:
    """A record's value of small integers, its number of headers, and the answer behind it."""
    array, answer = struct.pack(">20i", *range(30, 50)), struct.pack(">iii", 8, 16, 0)
    at = len(array)
    assert stream(array + answer).is_among_small_integers(at, at + 12)
    assert not stream(array + b"\0" + answer).is_among_small_integers(at + 1, at + 13)
    assert stream(array + array).is_among_small_integers(at)
    assert stream(array + array).is_among_small_integers(at + 1)


def test_zeros_are_no_array_before_what_leads_to_a_proven_message() -> None:
    zeros, answer = bytes(64), struct.pack(">iii", 8, 16, 0)
    assert stream(zeros + answer).is_among_small_integers(64)
    assert not stream(zeros + answer).is_among_small_integers(64, 76)


@pytest.mark.parametrize(
    ("before", "run", "place"),
    [
        ("", "00000f0000003d000000040000002200000025000000150000000c00", 11),
        ("", "120000001f0000003e0000001a000000270000002c00000017612076616c", 5),
        ("002a000000160000000e0000002b0000003a000000", "0035000000140000002700000037", 2),
    ],
)
def test_an_array_goes_on_behind_a_gap(before: str, run: str, place: int) -> None:
    """What lies in the gap may be more of it: fewer integers are enough there, also on both sides of the gap."""
    content, gaps, other = bytes.fromhex(run), HeldStream(1000, BUDGET), b"\xff" * 40
    gaps.push(data(OF, 0, bytes.fromhex(before) or other, 1))
    gaps.push_gap(gap(OF, 0, 7, 2))
    at = gaps.end + place
    gaps.push(data(OF, 0, content, 3))
    gaps.push_gap(gap(OF, 0, 40, 4))
    gaps.push(data(OF, 0, other, 5))
    assert gaps.is_among_small_integers(at)
    assert not stream(other + content + other).is_among_small_integers(40 + place)


def test_an_array_goes_on_only_behind_a_gap_and_right_behind_it() -> None:
    integers = struct.pack(">10i", *range(30, 40))
    held = HeldStream(1000, BUDGET)
    assert not held.may_continue_array(0)
    held.push(data(OF, 0, integers, 1))
    assert not held.may_continue_array(40)
    held.push_gap(gap(OF, 0, 40, 2))
    held.push(data(OF, 0, integers, 3))
    assert held.may_continue_array(80)
    assert not held.may_continue_array(84)
    assert not held.may_continue_array(120)


def test_an_answer_behind_integers_and_a_gap_is_none() -> None:
    """Its time of throttling is zero."""
    held = HeldStream(1000, BUDGET)
    held.push(data(OF, 0, struct.pack(">10i", *range(30, 40)), 1))
    held.push_gap(gap(OF, 0, 40, 2))
    held.push(data(OF, 0, struct.pack(">5i", 300, 16, 0, 0, 1), 3))
    held.push_gap(gap(OF, 0, 280, 4))
    held.push(data(OF, 0, b"text", 5))
    assert not held.is_among_small_integers(80)


def test_where_segments_are_tiny_those_alone_begin_something_that_begin_a_write() -> None:
    held = HeldStream(10_000, BUDGET)
    for number, size in enumerate((7, 7, 7, 7, 3, 7, 7)):
        held.push(data(OF, 0, b"\xff" * size, number))
    assert [place for place in held.segment_starts if held.begins_segment(place)] == [7, 14, 21, 31]
