"""Nothing that can be had from a damaged capture is lost, and nothing is invented."""

import time
from collections import defaultdict
from random import Random

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from tests.conftest import AddFigure
from tests.robustness.compare import compare
from tests.robustness.conversations import compose
from tests.robustness.damage import CALLS, CONNECTIONS, ROWS, Row, retransmitted_with_other_bytes
from tests.robustness.oracle import expect
from tests.robustness.packets import batches, transmit
from tests.robustness.running import printed


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
    assert outcome.below_aim == [], "\n".join(outcome.missing)


LACKED_BEFORE = [
    ("start in mid-message, busy", 12, "integers before it in another line"),
    ("bursts lost", 4, "zeros before it"),
    ("start in mid-stream, busy", 2, "zeros before it, and none behind for an id in between"),
    ("start in mid-stream, segments of 536 bytes", 6, "a short body, and an id left out behind it"),
    ("responses only, cut at 96 bytes", 10, "short answers that read as an array"),
    ("10 % of small segments lost", 11, "a header in mid-segment, named as the connection's client and next in order"),
    ("10 % lost, directions merged from two clocks", 2, "an answer that read as an array, before its request"),
]
"""Rows with a seed with which the last messages lacked, and what stood in their way."""


@pytest.mark.parametrize(("name", "seed", "why"), LACKED_BEFORE)
def test_what_once_lacked_is_found(name: str, seed: int, why: str) -> None:
    (row,) = [row for row in ROWS if row.name == name]
    rng = Random(f"{name} {seed}")
    conversations = compose(rng, connections=CONNECTIONS, calls=CALLS, **row.traffic)
    packets = row.damage(transmit(conversations, rng, **row.segments), rng)
    outcome = compare(printed(batches(packets)), conversations, expect(conversations, packets))
    assert (outcome.missing, outcome.invented, outcome.wrong) == ([], [], []), why


def test_bytes_that_contradict_the_first_ones_are_said() -> None:
    """Each message says that its bytes were contradicted, or the next one does if it had been given before that."""
    rng = Random("conflicts")
    conversations = compose(rng, connections=6, calls=40, large_every=7)
    packets = retransmitted_with_other_bytes(transmit(conversations, rng), rng)
    engine = Engine()
    items = [item for batch in batches(packets) for item in engine.feed(batch)] + engine.flush()
    assert "other contents" in " ".join(engine.notes())
    problems: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for call in items:
        if isinstance(call, Call):
            for problem in call.problems:
                problems[call.client, problem.where, call.correlation_id].append(problem.message)
    in_place, later, calm = 0, 0, 0
    for number, conversation in enumerate(conversations):
        client = "{}:{}".format(*conversation.client)
        for direction in (0, 1):
            messages = conversation.messages(direction)
            stream = b"".join(message.frame for message in messages)
            came = [0] * len(stream)
            """When other contents came for each byte, in packets of the capture."""
            own_packets = [
                (place, packet)
                for place, packet in enumerate(packets, 1)
                if (packet.conversation, packet.direction) == (number, direction) and packet.payload
            ]
            for place, packet in own_packets:
                if not packet.true:
                    for offset, byte in enumerate(packet.payload, packet.offset):
                        came[offset] = place if byte != stream[offset] else came[offset]
            last_data = max(place for place, packet in own_packets if packet.true)
            said = [" ".join(problems[client, each.side, each.correlation_id]) for each in messages]
            start = 0
            for index, message in enumerate(messages):
                latest = max(came[start : start + len(message.frame)])
                start += len(message.frame)
                if latest and "from here on" in said[index]:
                    in_place += 1
                elif latest and latest < last_data:
                    later += 1
                    assert any("before this one" in each for each in said[index + 1 :]), message
                else:
                    assert "from here on" not in said[index]
                    calm += not said[index]
    assert in_place > 50
    assert later > 50
    assert calm > 50
