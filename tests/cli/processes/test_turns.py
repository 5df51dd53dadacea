"""Turns of about the same work: the same in each process, whoever counts."""

import io

from kafkasniff.calls.items import Item
from kafkasniff.cli.processes.turns import Turns
from kafkasniff.cli.terminal.output import Output
from kafkasniff.reading import Summary
from tests.render.made_calls import heartbeat_call, made_call, request_bytes


def divided(jobs: int, number: int, batches: list[tuple[list[Item], int]]) -> tuple[list[tuple[int, bool]], list[int]]:
    """Give the items of each turn's part with whether it was this process's, and whose turns ended."""
    ended: list[int] = []
    summary, output = Summary(), Output(io.BytesIO())
    turns = Turns(jobs, number, summary, lambda whose, _output, _mark: ended.append(whose))
    parts = []
    for items, packets in batches:
        summary.packets += packets
        # What comes next is asked for when one has been dealt with.
        for part in turns.divide(items, output):
            parts.append((len(part), turns.is_own))
    return parts, ended


def test_a_megabyte_of_messages_is_a_turn() -> None:
    small = heartbeat_call()
    large = made_call(request_bytes(0, 0, 1, "shop", bytes((1 << 20) - 1_024 - 14)), None, outcome="unanswered")
    assert large.request is not None
    assert len(large.request.data) == (1 << 20) - 1_024
    for number in range(2):
        parts, ended = divided(2, number, [([large, small, large, small], 4)])
        assert [count for count, _ in parts] == [1, 2, 1]
        assert [own for _, own in parts] == [number == 0, number == 1, number == 0]
        assert ended == [0, 1]


def test_an_item_counts_a_kilobyte_beside_its_bytes() -> None:
    small = heartbeat_call()
    assert small.request is not None
    assert small.response is not None
    each = 1_024 + len(small.request.data) + len(small.response.data)
    turn = -(-(1 << 20) // each)
    parts, ended = divided(3, 0, [([small] * (2 * turn + 5), 4)])
    assert parts == [(turn, True), (turn, False), (5, False)]
    assert ended == [0, 1]


def test_a_turn_without_calls_ends_with_the_packets() -> None:
    batches: list[tuple[list[Item], int]] = [([], 4_095), ([], 1), ([], 4_095), ([heartbeat_call()], 1)]
    parts, ended = divided(3, 1, batches)
    assert (parts, ended) == ([(1, True)], [0, 1])
