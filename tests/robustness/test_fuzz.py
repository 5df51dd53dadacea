"""Spoiled messages and captures: no exception, no input that takes long, and the same packet by packet."""

import time
from random import Random

import pytest

from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.headers import is_known
from tests.conftest import AddFigure
from tests.robustness.mutate import spoiled_body, spoiled_capture
from tests.robustness.running import look_at, singly

PARTS = 4
"""Each seed's share is a test of its own, so that they may run in parallel."""
MESSAGES, CAPTURES = 100_000 // PARTS, 10_000 // PARTS
BOTH_WAYS, LARGE = 25, 250
"""One capture of so many is read packet by packet too, or is large and read both ways."""
LONGEST = 1.0
"""Seconds of CPU time that any single input may take: a bound against quadratic work, far from what is usual."""


@pytest.mark.parametrize("seed", range(PARTS))
def test_spoiled_messages(seed: int, add_figure: AddFigure) -> None:
    rng = Random(f"messages {seed}")
    longest = 0.0
    whole = 0
    for _ in range(MESSAGES):
        body = spoiled_body(rng)
        begin = time.process_time()
        decoded = decode_body(body.api_key, body.api_version, body.side, body.data, 0)
        longest = max(longest, time.process_time() - begin)
        whole += decoded.value is not None
        # A body is whole, or a problem says why not; of a layout that is not known, that of the request does.
        assert decoded.value is not None or decoded.problems or not is_known(body.api_key, body.api_version), body
        assert all(offset is None or 0 <= offset <= len(body.data) for offset, _, _ in decoded.problems), body
    add_figure(
        "Spoiled messages", f"seed {seed}", messages=MESSAGES, decoded=whole, longest_ms=round(longest * 1000, 1)
    )
    assert longest < LONGEST


@pytest.mark.parametrize("seed", range(PARTS))
def test_spoiled_captures(seed: int, add_figure: AddFigure) -> None:
    rng = Random(f"captures {seed}")
    longest = 0.0
    items = 0
    for number in range(CAPTURES):
        large = number % LARGE == 0
        batches = spoiled_capture(rng, large)
        begin = time.process_time()
        shown = look_at(batches)
        longest = max(longest, time.process_time() - begin)
        if large or number % BOTH_WAYS == 0:
            assert look_at(singly(batches)) == shown
        items += len(shown[0])
    add_figure("Spoiled captures", f"seed {seed}", captures=CAPTURES, items=items, longest_ms=round(longest * 1000, 1))
    assert longest < LONGEST
