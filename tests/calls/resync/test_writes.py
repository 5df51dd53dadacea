"""Where a sender's writes begin."""

import struct

import pytest

from kafkasniff.calls.correlation.segments import LargestSegments
from kafkasniff.calls.resync.writes import Writes


def places(lengths: list[int], writes: Writes | None = None) -> list[int]:
    """Give the numbers of the segments with which a write begins, of segments whose bytes are no messages."""
    writes = writes or Writes()
    for number, length in enumerate(lengths):
        writes.add(number, b"\xff" * length)
    return [number for number in range(len(lengths)) if writes.begin_at(number)]


def test_behind_a_short_segment_a_write_begins() -> None:
    assert places([1448, 1448, 700, 1448, 1448]) == [3]
    # A segment of 536 bytes may be full, if no larger one was seen.
    assert places([536, 536, 535, 10]) == [3]
    assert places([536, 20, 1448, 536, 20]) == [2, 4]


def test_of_a_path_that_takes_small_segments_those_are_full() -> None:
    assert places([40, 40, 40, 12, 40, 40, 3, 9]) == [4, 7]
    # One alone tells nothing.
    assert places([40, 12, 30]) == [1, 2]


def test_no_path_takes_segments_so_small_that_headers_alone_fill_it() -> None:
    """RFC 791, 3.2: 68 octets pass everywhere. Kafka 0.8 writes a response in pieces of its fields."""
    assert places([8, 8, 10, 18, 18, 8, 8]) == [1, 2, 3, 4, 5, 6]


def test_segments_smaller_than_any_piece_are_full_still() -> None:
    assert places([7, 7, 7, 7, 7, 7, 3, 7, 7]) == [1, 2, 3, 7]
    connection = Writes()
    connection.go_on(0, LargestSegments(7, 40))
    assert places([7, 7, 7, 3, 7, 7], connection) == [4]


def test_small_messages_of_one_length_are_writes_each() -> None:
    writes = Writes()
    heartbeat = struct.pack(">i", 60) + bytes(60)
    for number in range(4):
        writes.add(number, heartbeat * (1 + number // 2))
    assert [number for number in range(4) if writes.begin_at(number)] == [1, 2, 3]


@pytest.mark.parametrize(("sizes", "begins"), [((22, 10), False), ((36, 9), True)])
def test_integers_of_a_cut_segment_are_no_messages(sizes: tuple[int, int], begins: bool) -> None:
    """Of 40 bytes 30 are there: two of the integers add up to them, as a message's size would alone."""
    writes = Writes()
    content = struct.pack(">i22xi", *sizes)
    for number in range(4):
        writes.add(number, content)
        writes.cut(10)
    assert writes.begin_at(3) == begins


@pytest.mark.parametrize(("as_large", "begins"), [(1, [0]), (2, [])])
def test_what_the_connection_showed_before_counts(as_large: int, begins: list[int]) -> None:
    writes = Writes()
    writes.go_on(40, LargestSegments(40, as_large))
    assert places([12], writes) == begins


def test_what_the_snap_length_cut_off_counts() -> None:
    writes = Writes()
    writes.add(0, b"\xff" * 30)
    writes.cut(1418)
    writes.add(1, b"\xff" * 30)
    writes.cut(20)
    writes.add(2, b"\xff" * 30)
    assert [number for number in range(3) if writes.begin_at(number)] == [2]


def test_behind_lost_segments_nothing_is_known() -> None:
    writes = Writes()
    writes.add(0, b"\xff" * 12)
    writes.lose()
    writes.add(1, b"\xff" * 12)
    assert not writes.begin_at(1)
    writes.add(2, b"\xff" * 11)
    writes.drop_before(2)
    assert not writes.begin_at(1)


def test_integers_that_lead_to_the_end_of_their_segment_are_no_messages() -> None:
    """8 and 24 are sizes that fill 40 bytes; so do those of two messages with other contents."""
    integers = struct.pack(">10i", 8, 39, 63, 24, 60, 23, 49, 30, 61, 18)
    messages = struct.pack(">i8xi24x", 8, 24)
    for content, begins in ((integers, False), (messages, True)):
        writes = Writes()
        for number in range(4):
            writes.add(number, content)
        assert writes.begin_at(3) == begins


def test_the_smallest_path_takes_28_bytes_of_data() -> None:
    """68 octets (RFC 791, 3.2) less 20 each of the headers of IP and TCP."""
    assert places([28, 28, 28]) == []
    assert places([27, 27, 27]) == [1, 2]


def test_one_byte_is_a_short_segment() -> None:
    assert places([536, 1, 536]) == [2]


@pytest.mark.parametrize("content", [struct.pack(">ii20x", 0, 20), struct.pack(">i24xi", 24, 0)], ids=["first", "last"])
def test_an_empty_message_is_one_too(content: bytes) -> None:
    """A SASL server's empty token: a size of zero."""
    writes = Writes()
    for number in range(3):
        writes.add(number, content)
    assert [number for number in range(3) if writes.begin_at(number)] == [1, 2]


def test_what_stands_before_the_start_is_of_the_same_segment() -> None:
    heartbeat = struct.pack(">i", 60) + bytes(60)
    for before, start, begins in ((b"\xff" * 8, 8, [1, 2]), (b"\xff" * 8, 7, []), (b"", 0, [1, 2])):
        writes = Writes()
        for number in range(3):
            writes.add(number, before + heartbeat, start)
        assert [number for number in range(3) if writes.begin_at(number)] == begins


def test_integers_with_part_of_another_behind_them_are_no_messages() -> None:
    content = struct.pack(">8i", 30, 39, 63, 24, 60, 23, 49, 31) + b"\1\2"
    writes = Writes()
    for number in range(3):
        writes.add(number, content)
    assert [number for number in range(3) if writes.begin_at(number)] == []


def test_four_segments_smaller_than_any_piece_are_tiny() -> None:
    for count, tiny in ((4, False), (5, True)):
        writes = Writes()
        for number in range(count):
            writes.add(number, b"\xff" * 7)
        assert writes.are_tiny() is tiny, count
    pieces = Writes()
    for number in range(9):
        pieces.add(number, b"\xff" * 8)
    assert not pieces.are_tiny()
