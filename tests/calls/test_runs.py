"""Runs of segments give the calls that the same segments give one by one."""

from array import array
from itertools import accumulate
from random import Random
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.conversation import Conversation
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.run_sides import NEVER
from kafkasniff.calls.runs import RunTaker
from kafkasniff.calls.streams import CallOptions
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.events import Connection, RunSide, StreamRun
from tests.calls.hand_made import (
    BUDGET,
    INTERFACE,
    MILLISECOND,
    connection,
    metadata_request,
    metadata_response,
    sized,
)

FIRST = metadata_request(1), metadata_response(1)


def cut(rng: Random, content: bytes, largest: int) -> list[bytes]:
    parts, start = [], 0
    while start < len(content):
        end = start + rng.randrange(1, largest)
        parts.append(content[start:end])
        start = end
    return parts


def made_run(
    of: Connection, parts: list[tuple[int, bytes]], *, times_rise: bool = True, late: Random | None = None
) -> StreamRun:
    """Give a run of segments by direction, with something else between them in the buffer; `late` lets some be so."""
    count = len(parts)
    placed = [index + (late.choice((0, 0, 0, 0, 2.5, 12.5)) if late else 0) for index in range(count)]
    order = sorted(range(count), key=placed.__getitem__)
    packet_of = {index: packet for packet, index in enumerate(order)}
    data, offsets = b"", []
    for index in order:
        data += b"header"
        offsets.append(len(data))
        data += parts[index][1]
    lengths = array("q", [len(parts[index][1]) for index in order])
    times = array("q", [(10 + index) * MILLISECOND for index in range(count)])
    batch = PacketBatch(data, 10, array("q", offsets), lengths, lengths, times, array("q", [0] * count), [INTERFACE])
    sides = []
    for direction in (0, 1):
        packets = [packet_of[index] for index, (side, _) in enumerate(parts) if side == direction]
        ends = list(accumulate(lengths[index] for index in packets))
        shifts = [offsets[index] + lengths[index] - end for index, end in zip(packets, ends, strict=True)]
        sizes = [lengths[index] for index in packets]
        largest = max(sizes, default=0)
        by = list(accumulate(packets, max))
        sides.append(RunSide(packets, ends, shifts, by, largest, sizes.count(largest)))
    return StreamRun(of, batch, (sides[0], sides[1]), times_rise)


def calls_of(
    parts: list[tuple[int, bytes]], sizes: list[int], *, times_rise: bool, late: int | None = None, **limits: int
) -> list[Any]:
    """Give the calls that runs of so many segments bring, with the packet of the step that brought them."""
    of, chance = connection(), None if late is None else Random(late)
    conversation = Conversation(of, CallLimits(**limits), CallOptions(), BUDGET)
    found = []
    for size in sizes:
        taker = RunTaker(made_run(of, parts[:size], times_rise=times_rise, late=chance), conversation)
        parts = parts[size:]
        taker.stay()
        steps: list[tuple[int, Any]] = []
        taker.take(0, steps)
        found += [(place // 2, item) for place, items in steps for item in items]
    of.ended_by = "capture-end"
    found += [(NEVER, item) for item in conversation.end(of.last)]
    shown = []
    for packet, item in found:
        assert isinstance(item, Call)
        frames = [
            (frame.size, frame.data, frame.first[:2], frame.last[:2], frame.stream_offset, frame.problems)
            for frame in (item.request, item.response)
            if frame is not None
        ]
        shown.append((packet, item.outcome, frames, item.pairing_problems))
    return shown


def exchange(rng: Random, contents: tuple[bytes, bytes], largest: int) -> list[tuple[int, bytes]]:
    """Cut both directions into segments; the answers lag a little behind."""
    sides = [cut(rng, FIRST[side] + contents[side], largest) for side in (0, 1)]
    placed = [
        (index / len(side), direction, part) for direction, side in enumerate(sides) for index, part in enumerate(side)
    ]
    return [(direction, part) for _, direction, part in sorted(placed, key=lambda row: row[:2])]


DAMAGE = {
    "none": b"",
    "an impossible size": b"\x7f\xff\xff\xff" + bytes(40),
    "a negative size": b"\xff\xff\xff\xf0" + bytes(40),
    "no request": sized(b"\x7f\x00" + bytes(30)),
    "a size that needs a check": b"\x00\x20\x00\x00" + bytes(300),
}


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize("limits", [{}, {"kept_message_bytes": 40}], ids=["wide", "narrow"])
def test_runs_bring_what_segments_bring(side: int, damage: bytes, limits: dict[str, int]) -> None:
    for seed in range(24):
        rng = Random(seed)
        messages = [
            [make(number, rng.choice(("a", "name" * 20))) for number in range(2, 30)]
            for make in (metadata_request, metadata_response)
        ]
        messages[side].insert(rng.randrange(5, 20), damage)
        parts = exchange(rng, (b"".join(messages[0]), b"".join(messages[1])), rng.choice((3, 40, 200)))
        sizes = [rng.randrange(1, len(parts)), len(parts)] if seed % 2 else [len(parts)]
        sizes = sizes if sizes[0] < len(parts) else sizes[:1]
        late = seed if seed >= 12 else None
        by_frames, by_segments = (
            calls_of(parts, sizes, times_rise=rise, late=late, **limits) for rise in (True, False)
        )
        assert by_frames == by_segments
        assert len(by_frames) > 5


def test_an_intact_run_brings_every_call() -> None:
    rng = Random(1)
    requests = b"".join(metadata_request(number) for number in range(2, 50))
    responses = b"".join(metadata_response(number) for number in range(2, 50))
    parts = exchange(rng, (requests, responses), 100)
    assert len(calls_of(parts, [len(parts)], times_rise=True)) == 49
