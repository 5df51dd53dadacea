"""When what a peer did not acknowledge is given up all the same."""

import pytest

from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembly.hole import Hole

SECOND = 1_000_000_000
LIMITS = TcpLimits()
HOLE = Hole(order=10, at=500, end=900, time=5 * SECOND, packets=6, heard=4)
REORDERING, ONE_WAY, PATIENCE = 64, 1_000, 60 * SECOND


@pytest.mark.parametrize(
    ("order", "time", "packets", "heard", "silence"),
    [
        (10 + REORDERING - 1, 0, 40, 4, None),
        (10 + REORDERING, 0, 6 + REORDERING // 4 - 1, 60, None),
        (10 + REORDERING, 0, 6 + REORDERING // 4, 50, False),
        (10 + REORDERING, 0, 70, 4, False),
        (10 + REORDERING, PATIENCE, 70, 4, True),
        (10 + REORDERING, PATIENCE, 69, 5, False),
        (10 + ONE_WAY, 0, 10 + ONE_WAY - 4, 4, True),
        (10 + ONE_WAY, 0, 6, 4 + ONE_WAY, False),
    ],
    ids=[
        "few packets", "few of the direction", "the peer was heard", "not for long", "for a minute",
        "heard once within a minute", "for a thousand packets", "a thousand of the peer",
    ],
)  # fmt: skip
def test_silence(order: int, time: int, packets: int, heard: int, silence: bool | None) -> None:
    assert HOLE.silence(order, HOLE.time + time, packets, heard, LIMITS, REORDERING) is silence


def test_where_nothing_can_come_late_every_packet_counts() -> None:
    assert HOLE.silence(10, HOLE.time, 6, 4, LIMITS, 0) is False
