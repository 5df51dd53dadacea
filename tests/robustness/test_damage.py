"""Nothing that can be had from a damaged capture is lost, and nothing is invented."""

import time
from random import Random

import pytest

from kafkasniff.calls.engine import Engine
from tests.conftest import AddFigure
from tests.robustness.compare import compare
from tests.robustness.conversations import compose
from tests.robustness.damage import ROWS, Row, retransmitted_with_other_bytes
from tests.robustness.oracle import expect
from tests.robustness.packets import batches, transmit
from tests.robustness.running import printed

CONNECTIONS, CALLS = 12, 40


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_nothing_is_lost_or_invented(row: Row, add_figure: AddFigure) -> None:
    rng = Random(row.name)
    conversations = compose(rng, connections=CONNECTIONS, calls=CALLS, **row.traffic)
    packets = row.damage(transmit(conversations, rng, **row.segments), rng)
    begin = time.process_time()
    items = printed(batches(packets))
    used = time.process_time() - begin
    outcome = compare(items, conversations, expect(conversations, packets))
    add_figure(
        "Damaged captures: found/there",
        row.name,
        packets=len(packets),
        cpu_ms=round(used * 1000),
        calls=outcome.calls_followed,
        searched=outcome.calls_searched,
        lone=outcome.lone_followed,
        lone_searched=outcome.lone_searched,
        headers=outcome.headers_followed,
        headers_searched=outcome.headers_searched,
        gaps=outcome.gaps,
        invented=len(outcome.invented),
        wrong=len(outcome.wrong),
    )
    assert outcome.invented == []
    assert outcome.wrong == []
    lacking = "\n".join(outcome.missing)
    assert outcome.calls_followed.part == 1, lacking
    assert outcome.lone_followed.part == 1, lacking
    assert outcome.gaps.part == 1, lacking
    assert outcome.calls_searched.part >= 0.99, lacking
    assert outcome.lone_searched.part >= 0.99, lacking
    assert outcome.headers_followed.part >= 0.99, lacking
    assert outcome.headers_searched.part >= 0.99, lacking


def test_bytes_that_contradict_the_first_ones_are_said() -> None:
    rng = Random("conflicts")
    conversations = compose(rng, connections=1, calls=10)
    packets = transmit(conversations, rng)
    engine = Engine()
    for batch in batches(retransmitted_with_other_bytes(packets, rng)):
        engine.feed(batch)
    engine.flush()
    assert "other contents" in " ".join(engine.notes())
