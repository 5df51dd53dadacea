"""What is remembered of connections that ended."""

import pytest

from kafkasniff.tcp.packets.segments import Segment
from kafkasniff.tcp.reassembly.ended import Ended, EndedConnections

SYN, RST, ACK = 2, 4, 16
KEY, OTHER = b"\x0a\x00\x00\x01\x0a\x00\x00\x02\xc3\x50\x23\x84", b"\x0a\x00\x00\x02\x0a\x00\x00\x01\x23\x84\xc3\x50"
SECOND = 1_000_000_000
ENDED = Ended(0, 100 * SECOND, KEY, (1_000, 5_000), (500, 4_500))


def segment(key: bytes, sequence: int, flags: int, length: int = 0) -> Segment:
    return Segment(key, (), sequence, 0, flags, bytes(length), length, ())


@pytest.mark.parametrize(
    ("late", "after", "belongs"),
    [
        (segment(KEY, 500, SYN), SECOND // 20, True),
        (segment(KEY, 500, SYN), SECOND, False),
        (segment(KEY, 501, SYN), SECOND // 20, False),
        (segment(OTHER, 4_500, SYN | ACK), SECOND // 20, True),
        (segment(OTHER, 77, RST), 500 * SECOND, True),
        (segment(KEY, 77, ACK), 500 * SECOND, True),
        (segment(KEY, 900, ACK, 100), 60 * SECOND, True),
        (segment(KEY, 900, ACK, 100), 61 * SECOND, False),
        (segment(OTHER, 5_000 + (65 << 20), ACK, 100), SECOND, False),
    ],
    ids=["copy of SYN", "SYN again", "new SYN", "copy of SYN-ACK", "RST", "ACK", "data", "old data", "far data"],
)
def test_late_segments_belong_to_the_connection_that_ended(late: Segment, after: int, belongs: bool) -> None:
    assert ENDED.has(late, ENDED.time + after) is belongs


@pytest.mark.parametrize(("sequence", "belongs"), [(900, True), (1_000, True), (900_000, False)])
def test_behind_the_fins_nothing_belongs_to_it(sequence: int, belongs: bool) -> None:
    """1,000 is the number of the FIN, with which keep-alives come; what is ahead is of the next connection."""
    closed = Ended(0, 100 * SECOND, KEY, (1_000, 5_000), (500, 4_500), closed=True)
    assert closed.has(segment(KEY, sequence, ACK, 100), closed.time + SECOND) is belongs


def test_the_oldest_are_forgotten() -> None:
    known = EndedConnections(2)
    keys = [bytes([number]) * 12 for number in range(3)]
    for key in keys:
        known.add(key, Ended(0, 100 * SECOND, key, (1_000, 5_000), (500, 4_500)))
    assert [known.get(key) is not None for key in keys] == [False, True, True]
