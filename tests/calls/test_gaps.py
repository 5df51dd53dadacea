"""Each gap is told once."""

from kafkasniff.calls.gaps import Gaps
from tests.calls.hand_made import connection, gap

OF = connection()


def test_what_lacks_without_a_byte_between_is_one_gap() -> None:
    gaps = Gaps()
    gaps.lose(gap(OF, 0, 317, 5))
    gaps.lose(gap(OF, 0, 670, 9))
    assert gaps.take() == []
    gaps.follow(0)
    assert gaps.take() == [gap(OF, 0, 987, 5)]
    assert not gaps


def test_bytes_between_make_two_of_it() -> None:
    gaps = Gaps()
    for length in (10, 20):
        gaps.lose(gap(OF, 1, length, 5))
        gaps.follow(1)
    gaps.lose(gap(OF, 0, 30, 6))
    assert gaps.take() == [gap(OF, 1, 10, 5), gap(OF, 1, 20, 5)]
    assert gaps


def test_a_length_that_is_not_known_makes_the_whole_unknown() -> None:
    gaps = Gaps()
    gaps.lose(gap(OF, 0, 10, 5))
    gaps.lose(gap(OF, 0, None, 6))
    gaps.lose(gap(OF, 0, 10, 7))
    gaps.follow(0)
    assert [each.length for each in gaps.take()] == [None]


def test_a_packet_that_the_snap_length_cut_is_there() -> None:
    gaps = Gaps()
    gaps.lose(gap(OF, 0, 10, 5))
    gaps.lose(gap(OF, 0, 1_000, 6, cut=True))
    gaps.lose(gap(OF, 0, 20, 7))
    gaps.follow(0)
    assert [each.length for each in gaps.take()] == [10, 20]
