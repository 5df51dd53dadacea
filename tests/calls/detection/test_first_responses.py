"""Answers that count up from the beginning of a connection."""

import struct

import pytest

from kafkasniff.calls.detection.first_responses import begins_with_cut_requests, follows_ids
from kafkasniff.calls.resync.held import HeldStream
from tests.calls.hand_made import BUDGET, connection, data, gap, metadata_response

OF = connection()


def cut_answers(*writes: list[bytes], kept: int = 30) -> HeldStream:
    """Hold the answers of each write in one segment, of which the capture has the first `kept` bytes."""
    stream = HeldStream(1 << 22, BUDGET)
    for packet, answers in enumerate(writes):
        segment = b"".join(answers)
        stream.push(data(OF, 1, segment[:kept], packet))
        if len(segment) > kept:
            stream.push_gap(gap(OF, 1, len(segment) - kept, packet, cut=True))
    return stream


def test_answers_count_up_also_over_what_the_snap_length_cut_off() -> None:
    answers = [metadata_response(number) for number in range(8)]
    writes = [answers[:1], answers[1:3], answers[3:4], answers[4:5], answers[5:6]]
    # Of the third answer not even the size is there.
    assert not follows_ids(cut_answers(*writes), 0)
    assert follows_ids(cut_answers(*writes, answers[6:7]), 0)
    assert not follows_ids(cut_answers(*writes, [metadata_response(30)]), 0)


@pytest.mark.parametrize(
    ("first", "second", "kafka"),
    [
        ((18, 3, 1), (3, 9, 2), True),
        # ZooKeeper's clients begin with a protocol version and count from 1.
        ((0, 0, 0), (0, 1, 0), False),
        ((3, 9, 1), (3, 99, 2), False),
        ((3, -1, 1), (3, 9, 2), False),
        ((3, 9, 1 << 16), (3, 9, 2), False),
    ],
)
def test_ten_bytes_of_requests(first: tuple[int, int, int], second: tuple[int, int, int], kafka: bool) -> None:
    requests = [struct.pack(">ihhi", 40, *numbers) + bytes(32) for numbers in (first, second, second)]
    assert begins_with_cut_requests(cut_answers(*([each] for each in requests), kept=10)) == kafka
    # What has whole headers proves more by itself.
    assert not begins_with_cut_requests(cut_answers(*([each] for each in requests)))
