"""Held bytes: what was pushed is there, at its place."""

import random
import struct

import pytest

from kafkasniff.calls.limits import Budget
from kafkasniff.calls.resync.held import HELD_AT_LEAST, HeldStream
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


def test_a_segment_begins_where_it_was_pushed_and_nowhere_else() -> None:
    held = HeldStream(1000, BUDGET)
    assert not held.begins_segment(0)
    held.push(data(OF, 0, b"abcdef", 1))
    held.push(data(OF, 0, b"ghi", 2))
    assert [place for place in range(12) if held.begins_segment(place)] == [0, 6]


def test_nothing_has_ended_while_more_may_come() -> None:
    assert not HeldStream(1000, BUDGET).ended


def test_of_a_segment_only_what_is_behind_its_start_is_held() -> None:
    held = HeldStream(1000, BUDGET, 50)
    held.push(data(OF, 0, b"abcdef", 1), 2)
    assert (held.end, held.held, held.read(50, 4)) == (54, 4, b"cdef")
    held.push(data(OF, 0, b"ghi", 2))
    held.drop_before(54)
    assert (held.held, held.discarded, held.read(54, 3)) == (3, 4, b"ghi")
    assert held.read(53, 1) is None


def behind_a_gap() -> HeldStream:
    """Give six bytes, a gap of four, and six more."""
    held = HeldStream(1000, BUDGET)
    held.push(data(OF, 0, b"abcdef", 1))
    held.push_gap(gap(OF, 0, 4, 2))
    held.push(data(OF, 0, b"klmnop", 3))
    return held


def test_bytes_are_read_up_to_a_gap() -> None:
    held = behind_a_gap()
    assert (held.read_up_to(2, 3), held.read_up_to(2, 9)) == (b"cde", b"cdef")
    assert (held.read_up_to(6, 9), held.read_up_to(12, 2), held.read_up_to(12, 9)) == (b"", b"mn", b"mnop")
    assert held.read_up_to(16, 1) == b""


def test_what_a_gap_cuts_off_is_told_from_what_is_whole_or_still_comes() -> None:
    held = behind_a_gap()
    assert held.read_to_gap(2, 5) == b"cdef"
    # It ends where the gap begins.
    assert held.read_to_gap(2, 4) is None
    assert held.read_to_gap(6, 2) is None
    # More may come.
    assert held.read_to_gap(12, 50) is None
    held.push_gap(gap(OF, 0, 4, 4))
    assert held.read_to_gap(12, 50) == b"mnop"
    assert held.read_to_gap(12, 4) is None


def test_a_run_ends_behind_its_last_byte() -> None:
    held = behind_a_gap()
    assert [held.run_at(place) is not None for place in (0, 5, 6, 9, 10, 15, 16)] == [
        *(True, True),
        *(False, False),
        *(True, True),
        False,
    ]


def test_segments_that_lack_are_told_from_their_ends_that_were_cut() -> None:
    held = behind_a_gap()
    assert (held.follows_gap(10), held.follows_gap(6), held.cut) == (True, False, False)
    held.push_gap(gap(OF, 0, 4, 4, cut=True))
    held.push(data(OF, 0, b"uvw", 5))
    assert (held.follows_gap(20), held.cut) == (False, True)
    # A packet of which nothing lacks is not cut.
    whole = HeldStream(1000, BUDGET)
    whole.push_gap(gap(OF, 0, 0, 1, cut=True))
    assert not whole.cut


def test_what_lies_before_a_place_is_let_go_by_whole_segments_and_gaps() -> None:
    held = behind_a_gap()
    for place, first in ((5, 0), (6, 6), (9, 6), (10, 10), (15, 10), (16, 16)):
        held.drop_before(place)
        runs = [start for start, _ in held.runs(0)]
        # A gap alone has no bytes.
        assert runs == [start for start in (0, 10) if start >= first]
        assert held.segment_starts == runs
    assert (held.held, held.discarded) == (0, 12)
    assert held.items_from(0) == []


def test_a_gap_counts_from_where_it_begins() -> None:
    held = behind_a_gap()
    assert len(held.items_from(6)) == 2
    assert len(held.items_from(7)) == 1
    held.drop_before(6)
    assert held.items_from(0)[0] == gap(OF, 0, 4, 2)


def test_half_a_run_is_let_go() -> None:
    held = HeldStream(1000, BUDGET)
    for packet, segment in enumerate((b"abc", b"def", b"ghi")):
        held.push(data(OF, 0, segment, packet))
    held.drop_before(7)
    assert list(held.runs(0)) == [(6, b"ghi")]
    assert (held.held, held.discarded, held.read(5, 1)) == (3, 6, None)


def test_what_is_let_go_is_given_back() -> None:
    budget = Budget(200)
    held = HeldStream(1000, budget)
    held.push(data(OF, 0, bytes(99), 1))
    assert budget.left
    held.push(data(OF, 0, bytes(1), 2))
    # Each byte counts twice: in its packet, and in what is searched.
    assert not budget.left
    held.drop_before(99)
    held.push(data(OF, 0, bytes(98), 3))
    assert budget.left
    held.clear()
    held.push(data(OF, 0, bytes(99), 4))
    assert budget.left
    assert budget.notes() == []


def test_a_limit_is_told_once_a_stream() -> None:
    budget = Budget(1 << 30)
    for _ in range(2):
        held = HeldStream(1 << 20, budget)
        for packet in range(4):
            held.push(data(OF, 0, bytes(1 << 19), packet))
            assert held.held == (1 << 19) * min(packet + 1, 2)
    assert budget.notes() == ["direction searched for messages in vain for more than 1 MiB: 2"]


def test_a_stream_holds_some_when_the_budget_is_used_up() -> None:
    budget = Budget(2 * HELD_AT_LEAST)
    held = HeldStream(1 << 20, budget)
    quarter = HELD_AT_LEAST // 4
    for packet in range(4):
        held.push(data(OF, 0, bytes(quarter), packet))
    assert (held.held, budget.notes()) == (HELD_AT_LEAST, [])
    held.push(data(OF, 0, bytes(quarter), 4))
    assert held.held == 3 * quarter
    assert budget.notes() == ["bytes let go: all connections together held more than 0 MiB: 1"]


@pytest.mark.parametrize(("length", "short"), [(512, True), (513, False)])
def test_between_two_gaps_that_are_near_chance_has_few_places(length: int, short: bool) -> None:
    held = HeldStream(10_000, BUDGET)
    held.push_gap(gap(OF, 0, 9, 1))
    held.push(data(OF, 0, bytes(length), 2))
    held.push_gap(gap(OF, 0, 9, 3))
    assert (held.is_short(9), held.is_short(8 + length)) == (short, short)
    assert not held.is_short(8)


def test_writes_begin_behind_short_segments_and_not_behind_lost_ones() -> None:
    held = HeldStream(10_000, BUDGET)
    held.push(data(OF, 0, b"\xff" * 1448, 1))
    held.push(data(OF, 0, b"\xff" * 20, 2))
    held.push(data(OF, 0, b"\xff" * 20, 3))
    held.push_gap(gap(OF, 0, 32, 4))
    held.push(data(OF, 0, b"\xff" * 20, 5))
    held.push_gap(gap(OF, 0, 1428, 5, cut=True))
    held.push(data(OF, 0, b"\xff" * 20, 6))
    assert [place for place in range(held.end) if held.begins_write(place)] == [1468]
    held.push(data(OF, 0, b"\xff" * 20, 7))
    assert held.begins_write(held.end - 20)
    held.drop_before(held.end - 20)
    assert not held.begins_write(1468)


def test_an_array_begins_at_its_place_behind_a_gap() -> None:
    held = HeldStream(1000, BUDGET)
    held.push_gap(gap(OF, 0, 50, 1))
    held.push(data(OF, 0, b"\xff" * 3 + struct.pack(">6i", *range(300, 306)) + b"\xff" * 30, 2))
    assert [place for place in range(40, 90) if held.begins_array(place)] == [53]


@pytest.mark.parametrize(
    ("before", "continues"),
    [
        (struct.pack(">6i", *range(30, 36)), True),
        (b"\xff" + struct.pack(">6i", *range(30, 36)), True),
        (struct.pack(">5i", *range(30, 35)), False),
        (b"\xff" * 3 + struct.pack(">5i", *range(30, 35)), False),
        (b"\xff" * 4 + struct.pack(">7i", *range(30, 37)), False),
        (b"\xff" * 4 + struct.pack(">8i", *range(30, 38)), True),
        (b"text" * 8, False),
    ],
)
@pytest.mark.parametrize(("rest", "lost"), [(0, 40), (3, 41)])
def test_an_array_goes_on_behind_a_gap_in_one_line(before: bytes, continues: bool, rest: int, lost: int) -> None:
    """The gap begins within an integer, of which three bytes are there, and ends with another."""
    held = HeldStream(1000, BUDGET)
    held.push_gap(gap(OF, 0, 100, 1))
    held.push(data(OF, 0, before + bytes(rest), 2))
    held.push_gap(gap(OF, 0, lost, 3))
    place = held.end
    held.push(data(OF, 0, bytes(9), 4))
    assert held.may_continue_array(place) == continues


LARGE = range(300, 340)
"""Integers of two bytes that are not zero."""


@pytest.mark.parametrize(("count", "of_cut", "among"), [(10, False, True), (9, False, False), (6, True, True)])
@pytest.mark.parametrize("beside", [1, 2, 3])
def test_beside_its_line_an_array_has_ten_integers(count: int, of_cut: bool, among: bool, beside: int) -> None:
    """Six where the snap length cut segments; 16 bytes before the place are looked at, and the others behind it."""
    held = HeldStream(1000, BUDGET)
    held.push(data(OF, 0, struct.pack(">40i", *LARGE), 1))
    if of_cut:
        held.push_gap(gap(OF, 0, 9, 1, cut=True))
    place = 16 + beside
    assert held.is_among_small_integers(place, place + 4 * (count - 4)) == among


def test_a_run_behind_lost_segments_has_room_for_ten() -> None:
    held = HeldStream(1000, BUDGET)
    held.push_gap(gap(OF, 0, 7, 1))
    start = held.end
    held.push(data(OF, 0, struct.pack(">40i", *LARGE), 2))
    held.push_gap(gap(OF, 0, 9, 2, cut=True))
    assert not held.is_among_small_integers(start + 18, start + 18 + 20)
    assert held.is_among_small_integers(start + 18, start + 18 + 24)


def test_what_is_not_held_is_among_nothing() -> None:
    assert not stream(bytes(40)).is_among_small_integers(40)


FIVE = struct.pack(">5i", *range(41, 46))


@pytest.mark.parametrize(("behind", "among"), [(12, True), (13, False)])
def test_a_gap_behind_an_array_is_near_within_32_bytes(behind: int, among: bool) -> None:
    """One integer before the place and five from it on, which alone are no array."""
    held = HeldStream(1000, BUDGET)
    held.push(data(OF, 0, b"\xff" * 40 + struct.pack(">i", 40) + FIVE + b"\xff" * behind, 1))
    held.push_gap(gap(OF, 0, 9, 2))
    held.push(data(OF, 0, b"\xff" * 9, 3))
    assert held.is_among_small_integers(44) == among


@pytest.mark.parametrize(("before", "among"), [(27, True), (28, False)])
def test_a_gap_before_an_array_is_near_within_32_bytes(before: int, among: bool) -> None:
    held = HeldStream(1000, BUDGET)
    held.push_gap(gap(OF, 0, 9, 1))
    held.push(data(OF, 0, b"\xff" * before + struct.pack(">i", 40) + FIVE + b"\xff" * 40, 2))
    assert held.is_among_small_integers(9 + before + 4) == among


@pytest.mark.parametrize(
    ("before", "behind", "ended", "among"),
    [
        (1, 5, True, True),
        (0, 5, True, False),
        (2, 4, True, False),
        (2, 4, False, True),
        (5, 1, False, True),
        (1, 4, False, False),
    ],
)
def test_six_integers_in_line_are_an_array_if_five_of_them_follow_or_a_gap_does(
    before: int, behind: int, ended: bool, among: bool
) -> None:
    held = HeldStream(1000, BUDGET)
    integers = struct.pack(f">{before + behind}i", *range(300, 300 + before + behind))
    held.push(data(OF, 0, b"\xff" * 8 + integers + b"\xff" * 4 * ended, 1))
    held.push_gap(gap(OF, 0, 90, 2))
    held.push(data(OF, 0, b"\xff" * 9, 3))
    assert held.is_among_small_integers(8 + 4 * before) == among


def test_a_zero_ends_what_stands_in_line() -> None:
    held = HeldStream(1000, BUDGET)
    held.push(data(OF, 0, b"\xff" * 8 + struct.pack(">7i", 39, 40, 41, 0, 42, 43, 44) + b"\xff" * 4, 1))
    held.push_gap(gap(OF, 0, 90, 2))
    held.push(data(OF, 0, b"\xff" * 9, 3))
    assert not held.is_among_small_integers(8 + 8)
