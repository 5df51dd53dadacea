"""Stretches found in hand-made packets."""

from random import Random

import numpy as np

from kafkasniff.tcp.columns import read_columns
from kafkasniff.tcp.runs import Stretches, find_stretches, together
from tests.tcp.conversations import RST, Talk, batch


def found(frames: list[bytes]) -> Stretches:
    packets = batch(frames)
    return find_stretches(read_columns(packets), packets.data, np.arange(len(frames)))


def test_a_stretch_ends_at_unusual_packets_and_at_other_connections() -> None:
    talk, other = Talk().open(), Talk(client_port=40_001)
    for _ in range(10):
        talk.send(0, b"request").send(1, b"response")
        other.send(0, b"request")
    talk.send(0, flags=RST)
    frames = [frame for pair in zip(talk.frames, other.frames, strict=False) for frame in pair]
    frames += talk.frames[len(other.frames) :]
    stretches = found(frames)
    sizes = [end - start for start, end in zip(stretches.starts, stretches.ends, strict=True)]
    assert sorted(sizes) == [10, 21]
    assert stretches.both_ways == [size == 21 for size in sizes]


def test_rows_that_come_next_are_not_odd() -> None:
    talk = Talk(client_sequence=(1 << 32) - 20, server_sequence=(1 << 32) - 40)
    for _ in range(10):
        talk.send(0, b"request").send(1, b"response").send(0)
    stretches = found(talk.frames)
    assert stretches.starts == [0]
    assert stretches.odd == []
    own, peer = sorted(side.item(-1) for side in stretches.reached)
    assert (own, peer) == (70, 80)


def test_rows_out_of_order_and_early_acknowledgements_are_odd() -> None:
    talk = Talk()
    for _ in range(12):
        talk.send(0, b"data").send(1)
    frames = talk.frames
    frames.insert(9, frames.pop(6))
    # The acknowledgement of it, what followed it, and itself.
    assert found(frames).odd == [6, 7, 9]


def test_equal_numbers_stand_together_in_their_order() -> None:
    random = Random(5)
    # Numbers of which many share their upper four bytes, and such that do not.
    for numbers in ([random.randrange(4) << 32 | random.randrange(3) for _ in range(99)], [1 << 63, 7, 1 << 63, 7]):
        order = together(np.array(numbers, np.uint64)).tolist()
        places = [(numbers[index], index) for index in order]
        groups = [
            [index for number, index in places if number == each]
            for each in dict.fromkeys(number for number, _ in places)
        ]
        assert [index for group in groups for index in group] == order
        assert all(group == sorted(group) for group in groups)
