"""Answers that count up from the beginning of a connection."""

import struct

import pytest

from kafkasniff.calls.detection.first_responses import (
    begins_with_cut_requests,
    evidence_of_first_responses,
    follows_ids,
)
from kafkasniff.calls.resync.held import HeldStream
from tests.calls.hand_made import BUDGET, connection, data, gap, metadata_response, sized

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


def held(*segments: bytes) -> HeldStream:
    made = HeldStream(1 << 22, BUDGET)
    for packet, segment in enumerate(segments):
        made.push(data(OF, 1, segment, packet))
    return made


def answers(*numbers: int) -> HeldStream:
    return held(*(metadata_response(number) for number in numbers))


@pytest.mark.parametrize(
    ("numbers", "proven"),
    [
        *((range(5), True), (range(4), False), (range(15, 20), True), (range(16, 21), False)),
        *(((0, 1, 2, 3, 19), True), ((0, 1, 2, 3, 20), False), ((0, 1, 2, 3, 3), False), ((0, 1, 2, 3, 2), False)),
        *(((0, 16, 32, 48, 64), True), (range(-1, 4), False)),
    ],
)
def test_five_answers_count_up_from_near_zero_in_small_steps(numbers: list[int], proven: bool) -> None:
    """In steps of 16 at most: those of requests with acks=0 are left out."""
    assert follows_ids(answers(*numbers), 0) == proven
    evidence = "answers that count their correlation ids up from the connection's beginning"
    assert evidence_of_first_responses(answers(*numbers), True, 1 << 20) == (evidence if proven else None)
    # Where they are not the first, they prove nothing.
    assert evidence_of_first_responses(answers(*numbers), False, 1 << 20) is None


@pytest.mark.parametrize(("size", "proven"), [(3, False), (4, True), (1 << 30, True), ((1 << 30) + 1, False)])
def test_an_answer_has_a_size(size: int, proven: bool) -> None:
    """Of 4 bytes it is an id alone. That of the last one leads nowhere."""
    last = struct.pack(">ii", size, 4)
    assert follows_ids(held(b"".join(map(metadata_response, range(4))) + last, metadata_response(5)), 0) == proven


VERSIONS = sized(struct.pack(">ihi", 900, 0, 9) + b"".join(struct.pack(">hhh", key, 0, 3) for key in range(9)))
"""ApiVersions v0."""


@pytest.mark.parametrize(("before", "proven"), [(0, True), (7, True), (8, False)])
def test_a_list_of_versions_is_looked_for_at_eight_beginnings(before: int, proven: bool) -> None:
    stream = held(*[b"\xff" * 20] * before, VERSIONS)
    evidence = "an answer that lists API versions" if proven else None
    assert evidence_of_first_responses(stream, False, len(VERSIONS) - 4) == evidence
    # One that is larger than may be looked at is not.
    assert evidence_of_first_responses(stream, False, len(VERSIONS) - 5) is None


def test_a_list_of_versions_is_there_as_a_whole() -> None:
    assert evidence_of_first_responses(held(VERSIONS[:-1]), False, 1 << 20) is None
    assert evidence_of_first_responses(held(b"\0\0\0"), False, 1 << 20) is None
    assert evidence_of_first_responses(held(VERSIONS[:-1], b"\0"), False, 1 << 20) is not None


@pytest.mark.parametrize(
    ("count", "behind", "cut"), [(1, b"", False), (2, b"", False), (2, b"\0", True), (3, b"", True)]
)
def test_cut_requests_lead_to_three(count: int, behind: bytes, cut: bool) -> None:
    """Of the third something is there."""
    request = struct.pack(">ihhi", 40, 3, 9, 5) + bytes(32)
    stream = cut_answers(*([request] for _ in range(count)), kept=10)
    if behind:
        stream.push(data(OF, 1, behind, 9))
    assert begins_with_cut_requests(stream) == cut


@pytest.mark.parametrize(("size", "cut"), [(7, False), (8, True), (1 << 30, True), ((1 << 30) + 1, False)])
def test_cut_requests_have_a_size(size: int, cut: bool) -> None:
    """The first two lead to a third, of which nothing is there yet, or only its size is."""
    stream = cut_answers(*([struct.pack(">ihhi", 40, 3, 9, 5) + bytes(32)] for _ in range(2)), kept=10)
    third = struct.pack(">ihhi", size, 3, 9, 5)
    stream.push(data(OF, 1, third[:10], 5))
    stream.push_gap(gap(OF, 1, 30, 5, cut=True))
    assert begins_with_cut_requests(stream) == cut
