"""IP fragments, joined in every order, and bounded."""

import random

import pytest

from kafkasniff.tcp.events import StreamData
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import (
    ACK,
    CLIENT,
    MILLISECOND,
    SERVER,
    START,
    batch,
    connections,
    ethernet,
    ipv4,
    run,
    tcp,
)

DATA = bytes(range(256)) * 4
SEGMENT = tcp(40_000, 9092, 100, 0, ACK, DATA)


def fragment(offset: int, end: int, *, identification: int = 7, content: bytes = SEGMENT) -> bytes:
    part, more = content[offset:end], end < len(content)
    return ethernet(ipv4(CLIENT, SERVER, part, identification=identification, offset=offset, more=more))


def fragments(size: int = 200) -> list[bytes]:
    return [fragment(offset, min(offset + size, len(SEGMENT))) for offset in range(0, len(SEGMENT), size)]


@pytest.mark.parametrize("seed", range(10))
def test_any_order(seed: int) -> None:
    frames = fragments()
    random.Random(seed).shuffle(frames)
    events = run(frames)
    (data,) = [event for event in events if isinstance(event, StreamData)]
    assert data.data == DATA
    assert data.arrival.packet == len(frames)
    assert sorted(arrival.packet for arrival in data.fragments) == list(range(1, len(frames)))


def test_each_twice() -> None:
    reassembler = Reassembler()
    frames = [frame for frame in fragments() for _ in range(2)]
    events = reassembler.feed(batch(frames)) + reassembler.flush()
    assert connections(events)[0].parts[0] == [DATA]
    assert connections(events)[0].connection.counters[0].packets == 1
    assert reassembler.counters.fragments_dropped == len(frames) // 2


def test_overlapping_the_first_seen_wins() -> None:
    other = SEGMENT[:200] + b"\xff" * (len(SEGMENT) - 200)
    frames = [fragment(0, 400), fragment(200, 800, content=other), fragment(608, len(SEGMENT))]
    expected = SEGMENT[:400] + b"\xff" * 400 + SEGMENT[800:]
    assert connections(run(frames))[0].parts[0] == [expected[20:]]


def test_one_lacks() -> None:
    reassembler = Reassembler()
    events = reassembler.feed(batch(fragments()[:-1])) + reassembler.flush()
    assert events == []
    assert reassembler.counters.fragments_dropped == len(fragments()) - 1


def test_overlapping_fragments_with_bytes_enough_leave_a_hole() -> None:
    content = tcp(40_000, 9092, 100, 0, ACK, DATA * 8)
    last = fragment(8_000, len(content), content=content)
    overlapping = [fragment(start, start + 1_200, content=content) for start in range(8, 7_000, 8)]
    assert sum(len(frame) for frame in overlapping) > 10 * len(content)
    assert run([last, *overlapping]) == []
    rest = [fragment(0, 8, content=content), fragment(7_000, 8_000, content=content)]
    assert connections(run([last, *overlapping, *rest]))[0].parts[0] == [DATA * 8]


def test_a_fragment_that_ends_within_a_block_brings_its_whole_blocks() -> None:
    odd = [fragment(0, 205), fragment(208, len(SEGMENT))]
    assert run(odd) == []
    assert connections(run([*odd, fragment(200, 208)]))[0].parts[0] == [DATA]


def test_two_packets_mixed() -> None:
    later = tcp(40_000, 9092, 100 + len(DATA), 0, ACK, b"second" * 50)
    second = [
        fragment(0, 160, identification=8, content=later),
        fragment(160, len(later), identification=8, content=later),
    ]
    first = fragments()
    assert connections(run([second[1], *first[:3], second[0], *first[3:]]))[0].parts[0] == [DATA + b"second" * 50]


def test_a_cut_fragment_cuts_the_stream_there() -> None:
    frames = fragments(400)
    cut = [frames[0], frames[1][:-100], frames[2]]
    events = run(cut, original=[len(frame) for frame in frames])
    seen = connections(events)[0]
    assert seen.parts[0] == [DATA[:680], len(DATA) - 680]
    assert [event.cut for event in events if hasattr(event, "cut")] == [True]


def test_too_old() -> None:
    frames = fragments()
    times = [START] * (len(frames) - 1) + [START + 31_000 * MILLISECOND]
    assert run(frames, times=times) == []


def test_a_clock_that_steps_back_loses_nothing() -> None:
    frames = fragments()
    times = [START - index * 3_600_000 * MILLISECOND for index in range(len(frames))]
    assert connections(run(frames, times=times))[0].parts[0] == [DATA]


def test_a_flood_stays_within_bounds() -> None:
    flood = [fragment(0, 400, identification=number) for number in range(2_000)]
    reassembler = Reassembler(TcpLimits(fragment_bytes=100_000))
    reassembler.feed(batch(flood))
    assert reassembler.counters.limits_reached
    assert reassembler.counters.fragments_dropped > 1_800
    assert connections(reassembler.feed(batch(fragments())) + reassembler.flush())[0].parts[0] == [DATA]


def test_a_packet_longer_than_ip_allows() -> None:
    frame = ethernet(ipv4(CLIENT, SERVER, b"x" * 64, identification=1, offset=65_528, more=False))
    assert run([frame]) == []
