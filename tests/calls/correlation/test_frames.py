"""The frame cutter, against frames that are laid out here by hand."""

import random

import pytest

from kafkasniff.calls.correlation.frames import HEADER_BYTES_OF_UNKEPT, FrameCutter
from kafkasniff.calls.frame import Frame
from tests.calls.hand_made import BUDGET, arrival, connection, data, gap, sized

OF = connection()


class Credulous:
    """Takes any large message for one."""

    def is_plausible(self, direction: int, size: int, start: bytes) -> bool:
        return True


def cutter(kept_limit: int = 1 << 20, size_limit: int = 1 << 30, keep_packets: bool = False) -> FrameCutter:
    return FrameCutter(kept_limit, size_limit, keep_packets, Credulous(), 0, BUDGET)


def frames(of: FrameCutter) -> list[Frame]:
    found = []
    while (frame := of.next_frame()) is not None:
        found.append(frame)
    return found


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 7, 11, 50, 1000])
def test_any_segmentation_gives_the_same_frames(step: int) -> None:
    contents = [b"first message", b"", b"x" * 100, b"last"]
    stream = b"".join(map(sized, contents))
    made = cutter()
    found: list[Frame] = []
    for packet, start in enumerate(range(0, len(stream), step), 1):
        made.push(data(OF, 0, stream[start : start + step], packet))
        found += frames(made)
    assert [frame.data for frame in found] == contents
    assert [frame.size for frame in found] == [13, 0, 100, 4]
    assert [frame.stream_offset for frame in found] == [0, 17, 21, 125]
    ends = [17, 21, 125, 133]
    assert [frame.last.packet for frame in found] == [-(-end // step) for end in ends]
    assert [frame.first.packet for frame in found] == [start // step + 1 for start in (0, 17, 21, 125)]


def test_a_frame_is_completed_by_its_latest_packet() -> None:
    made = cutter()
    stream = sized(b"0123456789")
    late = data(OF, 0, stream[:6], 9)
    early = data(OF, 0, stream[6:], 3, delivered_by=9)
    made.push(late)
    made.push(early)
    (frame,) = frames(made)
    assert (frame.first.packet, frame.last.packet) == (9, 9)


def test_a_gap_inside_a_message_leaves_the_boundary_behind_it() -> None:
    made = cutter()
    stream = sized(b"a" * 100) + sized(b"next")
    made.push(data(OF, 0, stream[:40], 1))
    assert frames(made) == []
    made.push_gap(gap(OF, 0, 30, 2))
    made.push(data(OF, 0, stream[70:], 3))
    cut, whole = frames(made)
    assert (cut.size, cut.data, cut.whole) == (100, b"a" * 36, False)
    assert (cut.first.packet, cut.last.packet) == (1, 3)
    assert (whole.data, whole.whole, whole.stream_offset) == (b"next", True, 104)
    assert made.aligned


def test_a_gap_to_the_end_of_a_message_keeps_the_boundary() -> None:
    made = cutter()
    made.push(data(OF, 0, sized(b"a" * 10)[:8], 1))
    assert frames(made) == []
    made.push_gap(gap(OF, 0, 6, 2))
    made.push(data(OF, 0, sized(b"next"), 3))
    assert [(frame.data, frame.last.packet) for frame in frames(made)] == [(b"aaaa", 2), (b"next", 3)]


@pytest.mark.parametrize("before", [0, 2, 20])
def test_a_gap_over_a_size_prefix_ends_the_alignment(before: int) -> None:
    made = cutter()
    made.push(data(OF, 0, sized(b"a" * 100)[:before], 1))
    assert frames(made) == []
    made.push_gap(gap(OF, 0, 200, 2))
    assert [frame.data for frame in frames(made)] == ([b"a" * 16] if before == 20 else [])
    assert not made.aligned
    made.restart(1000)
    made.push(data(OF, 0, sized(b"next"), 3))
    assert [(frame.data, frame.stream_offset) for frame in frames(made)] == [(b"next", 1000)]


@pytest.mark.parametrize("size", [b"\xff\xff\xff\xff", b"\x80\x00\x00\x00", b"\x7f\xff\xff\xff"])
def test_an_impossible_size_is_not_followed(size: bytes) -> None:
    made = cutter()
    made.push(data(OF, 0, sized(b"good") + size + bytes(200), 1))
    assert [frame.data for frame in frames(made)] == [b"good"]
    assert not made.aligned
    assert made.absurd_size == int.from_bytes(size, "big", signed=True)


def test_a_message_above_the_limit_keeps_its_beginning_only() -> None:
    made = cutter(kept_limit=100_000)
    stream = sized(b"b" * 3_000_000) + sized(b"next")
    found: list[Frame] = []
    for packet, start in enumerate(range(0, len(stream), 1448), 1):
        made.push(data(OF, 0, stream[start : start + 1448], packet))
        found += frames(made)
    large, following = found
    assert large.size == 3_000_000
    assert HEADER_BYTES_OF_UNKEPT <= len(large.data) < 100_000
    assert following.data == b"next"


def test_what_there_is_of_a_message_at_the_end() -> None:
    made = cutter()
    made.push(data(OF, 0, sized(b"0123456789")[:9], 4))
    assert frames(made) == []
    frame = made.end(arrival(8))
    assert frame is not None
    assert (frame.size, frame.data, frame.whole) == (10, b"01234", False)


def test_packets_of_a_frame_are_noted_when_asked_for() -> None:
    made = cutter(keep_packets=True)
    stream = sized(b"0123456789") + sized(b"ab")
    for packet, start in enumerate(range(0, len(stream), 5), 1):
        made.push(data(OF, 0, stream[start : start + 5], packet))
    assert [[packet.packet for packet in frame.packets] for frame in frames(made)] == [[1, 2, 3], [3, 4]]


def test_the_beginning_of_a_message_in_a_segment_that_lacks_its_end() -> None:
    made = cutter(keep_packets=True)
    segment = b"more" + sized(b"a" * 100)[:40]
    assert made.begin_cut(segment, 4, arrival(1), ())
    made.lose(44, arrival(1))
    assert frames(made) == []
    assert made.pass_over(10, arrival(2), (arrival(3),))
    assert not made.pass_over(20, arrival(4), ())
    made.lose(10, arrival(4))
    (frame,) = frames(made)
    assert (frame.size, frame.data, frame.stream_offset) == (100, b"a" * 36, 0)
    assert [packet.packet for packet in frame.packets] == [1, 2, 3]
    assert (frame.first.packet, frame.last.packet) == (1, 4)
    assert made.idle()
    assert made.pushed_to == 104


@pytest.mark.parametrize("segment", [b"\0\0", b"\xff\xff\xff\xff1234", b"\x7f\xff\xff\xff1234"])
def test_what_begins_no_message_in_such_a_segment(segment: bytes) -> None:
    made = cutter()
    assert not made.begin_cut(segment, 0, arrival(1), ())
    made.push(data(OF, 0, sized(b"0123456789")[:9], 4))
    assert not made.begin_cut(sized(b"a" * 10)[:9], 0, arrival(5), ())


def test_random_streams_with_gaps_never_give_a_wrong_whole_frame() -> None:
    chance = random.Random(7)
    for _ in range(300):
        contents = [chance.randbytes(chance.randrange(0, 60)) for _ in range(12)]
        stream = b"".join(map(sized, contents))
        made = cutter()
        position, found = 0, []
        while position < len(stream) and made.aligned:
            length = chance.randrange(1, 40)
            if chance.random() < 0.1:
                made.push_gap(gap(OF, 0, min(length, len(stream) - position), 1))
            else:
                made.push(data(OF, 0, stream[position : position + length], 1))
            found += frames(made)
            position += length
        places = {0: contents[0]}
        start = 0
        for content in contents:
            places[start] = content
            start += 4 + len(content)
        for frame in found:
            assert frame.size == len(places[frame.stream_offset])
            assert places[frame.stream_offset].startswith(frame.data)
