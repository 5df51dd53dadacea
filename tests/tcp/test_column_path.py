"""Whatever packets come, runs tell what the same segments tell one by one."""

from dataclasses import astuple
from random import Random
from typing import Any

import pytest

from kafkasniff.tcp.events import Connection, ConnectionEnd, StreamData, StreamRun
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from tests.tcp.conversations import MILLISECOND, RST, START, Talk, batch, one_by_one
from tests.tcp.test_properties import Damaged

SECOND = 1_000 * MILLISECOND


def told(frames: list[bytes], times: list[int], size: int, **limits: int) -> tuple[list[Any], int]:
    """Give all events in packet order with what was known of each connection when it ended.

    And how many segments came in runs and lives.
    """
    reassembler = Reassembler(TcpLimits(**limits))
    numbers: dict[Connection, int] = {}
    told: list[Any] = []
    segments = 0
    for start in range(0, len(frames), size):
        packets = batch(frames[start : start + size], first_packet=start + 1, times=times[start : start + size])
        events = reassembler.feed(packets)
        places = reassembler.places or range(len(events))
        placed = [pair for lives in reassembler.lives for row in range(len(lives)) for pair in lives.events(row)]
        segments += sum(isinstance(event, StreamData) for _, event in placed)
        for place, event in zip(places, events, strict=True):
            for single in one_by_one([event]):
                if isinstance(event, StreamRun):
                    segments += 1
                    packet = single.delivered_by.packet - start - 1  # type: ignore[union-attr]
                    placed.append((max(2 * packet + 1, place), single))
                else:
                    placed.append((place, single))
        told += [plain(event, numbers) for _, event in sorted(placed, key=lambda pair: pair[0])]
    told += [plain(event, numbers) for event in reassembler.flush()]
    return [*told, astuple(reassembler.counters)], segments


def plain(event: Any, numbers: dict[Connection, int]) -> list[Any]:
    connection = event.connection
    parts = [type(event).__name__, numbers.setdefault(connection, len(numbers))]
    for part in event[1:]:
        parts.append(part[:2] if hasattr(part, "packet") else part)
    if isinstance(event, ConnectionEnd):
        parts += [connection.last[:2], connection.ended_by, connection.round_trip_ns, connection.initiator]
        parts += [astuple(counters) for counters in connection.counters]
    return parts


def several(seed: int) -> list[bytes]:
    """Packets of damaged and of sound connections between each other."""
    rng = Random(seed)
    frames = []
    for number in range(4):
        port = 40_000 + number
        if number % 2:
            damaged = Damaged(seed * 4 + number, mid_stream=rng.random() < 0.3, port=port)
            damaged.repeat(0.1, overlap=True)
            damaged.move(rng.choice((0, 3)))
            damaged.drop(rng.choice((0, 0.05)))
            own = damaged.frames()
        else:
            talk = Talk(client_port=port)
            talk = talk if rng.random() < 0.3 else talk.open()
            for _ in range(rng.randrange(10, 80)):
                talk.send(rng.randrange(2), rng.randbytes(rng.choice((0, 10, 1000))))
            own = talk.send(0, flags=RST).frames if rng.random() < 0.2 else talk.close().frames
        start, step = rng.uniform(0, 50), rng.uniform(0.5, 2)
        frames += [(start + step * index, frame) for index, frame in enumerate(own)]
    return [frame for _, frame in sorted(frames, key=lambda pair: pair[0])]


@pytest.mark.parametrize("clock", ["rises", "waits", "steps back"])
def test_runs_tell_the_same(clock: str) -> None:
    in_runs = 0
    for seed in range(40):
        frames, rng, time, times = several(seed), Random(seed), START, []
        for _ in frames:
            jump = clock == "waits" and rng.random() < 0.05
            time += SECOND if jump else MILLISECOND
            times.append(time - (rng.randrange(SECOND) if clock == "steps back" and rng.random() < 0.1 else 0))
        limits = rng.choice(
            (
                {},
                {"remembered": 5_000},
                {"connections": 3},
                {"half_open": 1},
                {"reordering_packets": 8},
                {"reordering_packets": 8, "one_way_packets": 20},
                {"buffered_in_all": 3_000},
            )
        )
        expected, none = told(frames, times, len(frames), column_packets=1 << 60, **limits)
        assert none == 0
        for size in (len(frames), 61):
            found, segments = told(frames, times, size, column_packets=1, **limits)
            assert found == expected
            in_runs += segments
    assert in_runs > 1_000


def test_disorder_tells_the_same() -> None:
    in_runs = 0
    for seed in range(16):
        rng, talk = Random(seed), Talk(client_sequence=(1 << 32) - 3_000).open()
        for _ in range(300):
            side = rng.choice((0, 0, 0, 1))
            talk.send(side, rng.randbytes(rng.choice((2, 40))))
            if rng.random() < 0.7:
                talk.send(1 - side)
        if seed % 4:
            talk.close()
        lost, late, again = rng.choice((0, 0.01)), rng.choice((0, 0.05)), rng.choice((0, 0, 0.01))
        placed = []
        for index, frame in enumerate(talk.frames):
            if index < 3 or rng.random() > lost:
                placed.append((index + (rng.uniform(1, 4) if index > 3 and rng.random() < late else 0), frame))
            if rng.random() < again:
                placed.append((index + rng.uniform(0, 20), frame))
        frames = [frame for _, frame in sorted(placed, key=lambda pair: pair[0])]
        times = [START + index * MILLISECOND * rng.choice((1, 30)) for index in range(len(frames))]
        limits = rng.choice(({}, {"reordering_packets": 8}, {"reordering_packets": 8, "one_way_packets": 12}))
        expected, _ = told(frames, times, len(frames), column_packets=1 << 60, **limits)
        for size in (len(frames), 97):
            found, segments = told(frames, times, size, column_packets=1, **limits)
            assert found == expected
            in_runs += segments
    assert in_runs > 5_000


def test_a_hole_across_batches_stays_with_the_columns() -> None:
    talk = Talk().open()
    for number in range(200):
        talk.send(0, bytes([number]) * 100).send(1)
    frames = talk.frames
    # Lost at the end of the first batch, late at the end of the second, when the third has begun.
    del frames[3 + 2 * 45]
    frames.insert(203, frames.pop(3 + 2 * 96))
    times = [START + index * MILLISECOND for index in range(len(frames))]
    expected, _ = told(frames, times, len(frames), column_packets=1 << 60)
    found, segments = told(frames, times, 100, column_packets=1)
    assert found == expected
    assert segments > 190
