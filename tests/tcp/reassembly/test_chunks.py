"""Pieces of a stream, against a dictionary of bytes by position."""

import random

import pytest

from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.tcp.reassembly.chunks import Chunk, insert

ARRIVAL = Arrival(0, 1, Interface("made", 1))


@pytest.mark.parametrize("seed", range(50))
def test_insert_keeps_the_first_seen_and_notes_differences(seed: int) -> None:
    chance = random.Random(seed)
    pending: list[Chunk] = []
    model: dict[int, int] = {}
    held = 0
    for order in range(60):
        start = chance.randrange(200)
        data = bytes(chance.choice((start + i, start + i, start + i, 255)) % 256 for i in range(chance.randint(1, 30)))
        covered = {start + i: byte for i, byte in enumerate(data) if start + i in model}
        added, repeated, differences = insert(pending, Chunk(start, start + len(data), data, ARRIVAL, (), order))
        held += added
        assert (repeated is not None) == bool(covered)
        differing = {place for place, byte in covered.items() if model[place] != byte}
        assert {place for begin, end in differences for place in range(begin, end)} == differing
        for i, byte in enumerate(data):
            model.setdefault(start + i, byte)
    assert {c.start + i: byte for c in pending for i, byte in enumerate(c.data)} == model
    assert [c.start for c in pending] == sorted(c.start for c in pending)
    assert held == sum(c.held() for c in pending)


def test_the_part_of_a_cut_chunk() -> None:
    chunk = Chunk(100, 120, b"0123456789", ARRIVAL, (), 1)
    part = chunk.between(105, 115)
    assert (part.start, part.end, part.data, part.arrival, part.order) == (105, 115, b"56789", ARRIVAL, 1)
    assert chunk.between(112, 120).data == b""


def test_a_segment_that_differs_in_every_other_byte_notes_few_places() -> None:
    pending: list[Chunk] = []
    insert(pending, Chunk(0, 60_000, bytes(60_000), ARRIVAL, (), 0))
    _, _, differences = insert(pending, Chunk(0, 60_000, b"\1\0" * 30_000, ARRIVAL, (), 1))
    assert differences[:3] == [(0, 1), (2, 3), (4, 5)]
    assert len(differences) < 100
