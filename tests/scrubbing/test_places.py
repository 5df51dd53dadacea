"""New messages at the sequence numbers of the old ones."""

from collections.abc import Iterator

import pytest

from kafkasniff.scrubbing.contents import FILLER
from kafkasniff.scrubbing.places import Direction, Places

ENDS = b"client", b"server"
FIRST = Direction(100, 200, *ENDS)


@pytest.fixture
def places() -> Iterator[Places]:
    made = Places()
    yield made
    made.close()


def test_messages_stand_in_segments_that_begin_and_end_anywhere(places: Places) -> None:
    places.add(FIRST, 1_000, places.keep(b"abcdef"))
    places.add(FIRST, 1_006, places.keep(b"ghi"))
    places.add(FIRST, 1_012, places.keep(b"mno"))
    places.begin()
    stream = b"abcdefghi" + FILLER * 3 + b"mno" + FILLER * 4
    for start in range(16):
        for end in range(start, 19):
            unknown = sum(each in (9, 10, 11) or each > 14 for each in range(start, end))
            assert places.payload(*ENDS, 1_000 + start, end - start, 150) == (stream[start:end], unknown)


def test_what_is_before_the_first_message_is_not_known(places: Places) -> None:
    places.add(FIRST, 1_000, places.keep(b"abc"))
    places.begin()
    assert places.payload(*ENDS, 998, 5, 150) == (FILLER * 2 + b"abc", 2)
    assert places.payload(*ENDS, 1_000, 0, 150) == (b"", 0)


def test_messages_may_be_told_in_any_order(places: Places) -> None:
    for sequence, message in ((1_006, b"ghi"), (1_000, b"abcdef"), (1_009, b"jkl")):
        places.add(FIRST, sequence, places.keep(message))
    places.begin()
    assert places.payload(*ENDS, 1_000, 12, 150) == (b"abcdefghijkl", 0)


def test_sequence_numbers_count_on_behind_32_bits(places: Places) -> None:
    """RFC 9293, 3.4: all arithmetic is modulo 2**32; segments come twice."""
    begin = (1 << 32) - 4
    for number in range(10):
        places.add(FIRST, (begin + 3 * number) % (1 << 32), places.keep(b"%d%d%d" % (number, number, number)))
    places.begin()
    stream = b"".join(b"%d" % number * 3 for number in range(10))
    for start in (0, 3, 6, 2, 21, 9):
        assert places.payload(*ENDS, (begin + start) % (1 << 32), 9, 150) == (stream[start : start + 9], 0)


def test_a_port_that_is_used_again_has_other_messages(places: Places) -> None:
    second = FIRST._replace(first=300, last=400)
    places.add(FIRST, 1_000, places.keep(b"abc"))
    places.add(second, 1_000, places.keep(b"xyz"))
    places.begin()
    told = {time: places.payload(*ENDS, 1_000, 3, time)[0] for time in (99, 100, 200, 201, 299, 300, 400, 500)}
    assert told == {
        99: FILLER * 3,
        **dict.fromkeys((100, 200, 201, 299), b"abc"),
        **dict.fromkeys((300, 400, 500), b"xyz"),
    }


def test_other_ends_have_no_messages(places: Places) -> None:
    places.add(FIRST, 1_000, places.keep(b"abc"))
    places.begin()
    assert places.payload(*reversed(ENDS), 1_000, 3, 150) == (FILLER * 3, 3)
