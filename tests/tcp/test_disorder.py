"""Disorder played on hand-made columns."""

import numpy as np
import pytest

from kafkasniff.tcp.disorder import Break, Disorder, Rows, Side
from kafkasniff.tcp.limits import TcpLimits

MILLISECOND = 1_000_000
LIMITS = TcpLimits(reordering_packets=8)


def rows(*packets: tuple[int, int, int, int], step: int = MILLISECOND) -> Rows:
    """Packets as direction, start, length and what is acknowledged."""
    second, start, length, acknowledged = (np.array(column, np.int64) for column in zip(*packets, strict=True))
    return Rows(second == 1, start, length, acknowledged, np.arange(len(packets)) * step)


def disorder(of: Rows) -> Disorder:
    return Disorder(of, (Side(0, -1 << 40, 5), Side(0, -1 << 40, 3)), LIMITS)


@pytest.mark.parametrize(("step", "late"), [(MILLISECOND, 0), (101 * MILLISECOND, 1)])
def test_a_late_segment_ends_the_disorder(step: int, late: int) -> None:
    played = disorder(rows((0, 0, 10, 0), (0, 20, 10, 0), (0, 10, 10, 0), (0, 30, 10, 0), step=step))
    assert played.play(1, (10, 0)) == 3
    assert not played.breaks
    assert (played.sides[0].position, played.sides[0].packets) == (30, 5 + 3)
    assert (played.sides[0].out_of_order, played.sides[0].late) == (1, late)


def test_what_was_acknowledged_and_never_comes_is_lost() -> None:
    later = [(0, 20 + 10 * index, 10, 0) for index in range(8)]
    played = disorder(rows((0, 0, 10, 0), *later[:2], (1, 0, 0, 30), *later[2:], (0, 100, 10, 0)))
    # Eight packets after the one that showed the hole.
    assert played.play(1, (10, 0)) == 10
    assert played.breaks == [Break(9, 0, (10, 0), 10)]
    assert played.sides[0].position == 110 - 10
    assert played.sides[0].acked == 30


def test_what_the_peer_did_not_acknowledge_is_not_lost() -> None:
    later = [(0, 20 + 10 * index, 10, 0) for index in range(12)]
    played = disorder(rows((0, 0, 10, 0), (1, 0, 0, 10), *later))
    assert played.play(2, (10, 0)) == 14
    assert played.waits
    assert not played.breaks


def test_an_acknowledgement_before_its_data_is_no_loss() -> None:
    played = disorder(rows((0, 0, 10, 0), (1, 0, 0, 30), (0, 10, 10, 0), (0, 20, 10, 0), (0, 30, 10, 0)))
    assert played.play(1, (10, 0)) == 4
    assert not played.breaks
    assert (played.sides[0].position, played.sides[0].acked) == (30, 30)


@pytest.mark.parametrize(
    "repeat",
    [(0, 0, 10, 0), (0, 5, 10, 0), (0, 9, 1, 0), (0, 25, 10, 0), (0, 20, 10, 0), (1, 0, 0, 1 << 30)],
    ids=["delivered", "partly delivered", "keep-alive", "overlap", "again", "far acknowledgement"],
)
def test_what_is_more_than_disorder_changes_nothing(repeat: tuple[int, int, int, int]) -> None:
    played = disorder(rows((0, 0, 10, 0), (0, 20, 10, 0), (0, 40, 10, 0), (0, 30, 10, 0), repeat, (0, 10, 10, 0)))
    assert played.play(1, (10, 0)) is None
    side = played.sides[0]
    assert (side.acked, side.out_of_order, side.packets, side.pending) == (-1 << 40, 0, 5, [])


def test_the_next_disorder_counts_the_packets_between() -> None:
    first = [(0, 0, 10, 0), (0, 20, 10, 0), (0, 10, 10, 0), (1, 0, 0, 30), (0, 30, 10, 0)]
    played = disorder(rows(*first, (0, 50, 10, 0), (0, 40, 10, 0)))
    assert played.play(1, (10, 0)) == 3
    assert played.play(5, (40, 0)) == 7
    assert [side.packets for side in played.sides] == [5 + 6, 3 + 1]
    assert played.sides[0].out_of_order == 2
