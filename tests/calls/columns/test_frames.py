"""Streams cut where they lie give the frames that were put into them, however segments part them."""

import struct
from random import Random

import numpy as np
import pytest

from kafkasniff.calls.columns.frames import Frames, cut
from kafkasniff.calls.columns.streams import Streams

LIMIT = 300


def streams_of(sent: list[bytes], random: Random, longest: int) -> tuple[Streams, list[list[tuple[int, int]]]]:
    """Lay streams into a buffer in segments with other bytes between; give also where each segment ends, with its
    packet, by stream."""
    parts, segments = [b""], []
    left = [(stream, 0) for stream in range(len(sent))]
    at = packet = 0
    ends: list[list[tuple[int, int]]] = [[] for _ in sent]
    while left:
        index = random.randrange(len(left))
        stream, start = left[index]
        if start == len(sent[stream]):
            del left[index]
            continue
        data = sent[stream][start : start + random.randint(1, longest)]
        between = random.randbytes(random.randrange(9))
        parts += [between, data]
        segments.append((stream, at + len(between), len(data), packet))
        at += len(between) + len(data)
        left[index] = stream, start + len(data)
        ends[stream].append((start + len(data), packet))
        packet += 1 + random.randrange(2)
    segments.sort(key=lambda segment: segment[0])
    _, places, lengths, packets = np.array(segments, np.int64).reshape(-1, 4).T.copy()
    bounds = np.searchsorted(np.array([stream for stream, *_ in segments]), np.arange(len(sent) + 1))
    limits = np.full(len(sent), LIMIT)
    return Streams(b"".join(parts), bounds, places, lengths, packets, [], limits), ends


def shown(frames: Frames) -> list[tuple[int, bytes, int, int, int]]:
    data = frames.buffer.data
    columns = (frames.stream, frames.start, frames.end, frames.offset, frames.first_packet, frames.last_packet)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(stream, data[start:end], offset, first, last) for stream, start, end, offset, first, last in rows]


def contents(random: Random) -> bytes:
    """Bytes in which sizes may seem to stand."""
    return random.choice((random.randbytes, bytes))(random.choice((0, 4, 9, 40, LIMIT)))


@pytest.mark.parametrize("longest", [1, 7, 60, 900])
def test_all_frames_are_found_with_their_packets(longest: int) -> None:
    random = Random(longest)
    for _ in range(20):
        made = [[contents(random) for _ in range(random.randrange(12))] for _ in range(6)]
        sent = [b"".join(struct.pack(">i", len(each)) + each for each in stream) for stream in made]
        rests = [random.choice((b"", b"\0", b"\0\0\0\x20begun", b"\xff\xff\xff\xff")) for _ in sent]
        streams, ends = streams_of([data + rest for data, rest in zip(sent, rests, strict=True)], random, longest)
        frames = cut(streams)
        expected = []
        for stream, (messages, segments) in enumerate(zip(made, ends, strict=True)):
            offset = 0
            for message in messages:
                end = offset + 4 + len(message)
                first = next(packet for stop, packet in segments if stop > offset)
                last = next(packet for stop, packet in segments if stop >= end)
                expected.append((stream, message, offset, first, last))
                offset = end
        assert shown(frames) == expected
        assert frames.rest.tolist() == [len(data) for data in sent]
        assert frames.odd.tolist() == [rest == b"\xff\xff\xff\xff" for rest in rests]


def test_a_size_above_the_limit_is_odd() -> None:
    streams, _ = streams_of([struct.pack(">i", 4) + b"well" + struct.pack(">i", LIMIT + 1)], Random(1), 99)
    frames = cut(streams)
    assert shown(frames) == [(0, b"well", 0, 0, 0)]
    assert (frames.rest.tolist(), frames.odd.tolist()) == ([8], [True])
