"""Evidence of responses, weighed on the messages that Kafka's own classes wrote."""

import struct

import pytest

from kafkasniff.calls.resync.evidence import IMPOSSIBLE, PROOF
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.response_evidence import (
    is_all_there,
    lone_points,
    looks_like_api_versions,
    may_be_response,
    score_response,
)
from tests.calls.hand_made import (
    BUDGET,
    connection,
    data,
    gap,
    heartbeat_response,
    metadata_request,
    metadata_response,
    produce_request,
    sized,
)
from tests.calls.resync.holding import OF, behind_a_gap, held, rows


def test_an_answer_to_a_pending_request_is_proof() -> None:
    stream = held(metadata_response(9))
    assert score_response(stream, 0, {9: (3, 1)}).points >= PROOF
    assert score_response(stream, 0, {8: (3, 1)}).points < PROOF
    assert score_response(stream, 0, {9: (12, 0)}) == IMPOSSIBLE


def test_the_list_of_versions_is_recognised_among_all_responses() -> None:
    for row in rows("api-responses.jsonl.gz"):
        content = bytes.fromhex(row["header_hex"] + row["body_hex"])
        if looks_like_api_versions(content):
            assert row["api_name"] == "API_VERSIONS"
    entries = b"".join(struct.pack(">hhh", key, 0, 4) for key in range(30))
    assert looks_like_api_versions(struct.pack(">ihi", 1, 0, 30) + entries)


def test_a_length_that_leads_to_a_response_is_no_frame() -> None:
    # A field that ends its message: seven bytes, and then the response that is asked for.
    stream = struct.pack(">i", 7) + b"\x11\x01\x08\x2e\x6b\x52\x1f" + metadata_response(9) + heartbeat_response(10)
    held = HeldStream(1 << 20, BUDGET)
    held.push(data(connection(), 1, stream, 1))
    pending = {9: (3, 1), 10: (12, 0)}
    assert score_response(held, 0, pending).points < 0
    assert score_response(held, 11, pending).points >= PROOF


def test_a_size_beyond_the_end_of_its_stream_is_doubted() -> None:
    # Bytes of a record that read as an awaited answer, JoinGroup v2, of 159,865 bytes.
    stream = held(b"tail" + bytes.fromhex("000270790000002a00030000000100064431792e6e370000000e74c1"))
    stream.ended = True
    joined = {42: (11, 2)}
    assert score_response(stream, 4, joined, previous_id=41).points == PROOF - 1
    stream.push_gap(gap(OF, 0, 159_865 + 4 - 28, 2))
    assert score_response(stream, 4, joined, previous_id=41).points >= PROOF


def test_a_lone_response_waits_for_what_may_contradict_it() -> None:
    stream = held(b"tail", struct.pack(">iiiiii", 393_216, 7, 0x0BC0, 7, 39, 0x4E043257))
    assert score_response(stream, 4, {}, lambda number: True).points < PROOF
    stream.push_gap(gap(OF, 0, 900, 2))
    assert score_response(stream, 4, {}, lambda number: True).points >= PROOF


def test_where_a_gap_ends_size_and_id_alone_are_no_answer() -> None:
    metadata = {69: (3, 1)}
    for body, points in ((b"\0\0", PROOF - 1), (struct.pack(">iih", 1, 7, 6) + b"broker", PROOF)):
        stream = held(b"tail")
        stream.push_gap(gap(OF, 0, 100, 1))
        place = stream.end
        stream.push(data(OF, 0, struct.pack(">ii", 55, 69) + body, 2))
        stream.push_gap(gap(OF, 0, 200, 3))
        assert min(score_response(stream, place, metadata, previous_id=55).points, PROOF) == points


@pytest.mark.parametrize(
    ("before", "correlation_id", "proven"),
    [(b"text" * 10, 28, True), (b"text" * 10, 0, False), (struct.pack(">10i", *range(40, 50)), 28, False)],
    ids=["an id", "zero", "an integer of the array before the gap"],
)
def test_a_lone_response_that_a_gap_cuts_may_be_integers(before: bytes, correlation_id: int, proven: bool) -> None:
    made = behind_a_gap(before, 40, struct.pack(">iii", 200, correlation_id, 39) + b"some of a body")
    made.push_gap(gap(OF, 0, 500, 2))
    made.push(data(OF, 0, bytes(9), 3))
    score = score_response(made, len(before) + 40, {}, lambda number: True)
    assert (score.points >= PROOF) == proven


def test_a_size_that_leads_to_where_nothing_is_says_nothing() -> None:
    """Behind an answer's first bytes a gap reaches up to where its size leads, and nothing came since."""
    answer = struct.pack(">ii", 34, 37) + bytes.fromhex("000000150000000c00")
    points = {}
    for lost in (21, 22):
        stream = held(b"\xff" * 40 + answer)
        stream.push_gap(gap(OF, 0, lost, 2))
        points[lost] = score_response(stream, 40, {37: (31, 0)}).points
    assert points[21] == points[22] > 0


END_OF_STREAM, SEGMENT = 1, 1
"""Points of a frame that ends where the stream does, and of one that begins a segment."""


def test_all_of_the_first_bytes_is_there() -> None:
    stream = held(bytes(5_000))
    assert is_all_there(stream, 4_990, 5_000)
    assert not is_all_there(stream, 4_990, 5_001)
    assert is_all_there(stream, 904, 6_000)
    assert not is_all_there(stream, 905, 6_000)
    stream.ended = True
    assert is_all_there(stream, 4_990, 5_001)
    cut = behind_a_gap(bytes(100), 50, bytes(9))
    assert is_all_there(cut, 90, 120)


RESPONSE = {7: (12, 0)}
"""A Heartbeat v0 that waits."""


@pytest.mark.parametrize(
    ("previous_id", "points"), [(None, 0), (6, 1), (7 - 16, 1), (7 - 17, 0), (7, 0), (8, 0)], ids=str
)
def test_points_of_an_awaited_answer(previous_id: int | None, points: int) -> None:
    """Two for its id, and one for a body of two bytes."""
    stream = held(heartbeat_response(7))
    assert (
        score_response(stream, 0, RESPONSE, previous_id=previous_id).points == 2 + 1 + SEGMENT + END_OF_STREAM + points
    )


def test_points_of_where_a_response_begins() -> None:
    for stream, place, points in (
        (held(b"text" + heartbeat_response(7)), 4, 0),
        (held(b"text", heartbeat_response(7)), 4, 2),
        (held(b"text" * 200, heartbeat_response(7)), 800, 1),
        (behind_a_gap(b"text", 5, heartbeat_response(7)), 9, 2),
    ):
        assert score_response(stream, place, RESPONSE).points == 2 + 1 + END_OF_STREAM + points


def test_a_body_of_twelve_bytes_tells_more() -> None:
    """Of 16 with the correlation id: ListOffsets v0 of no topic has a body of four, of one topic without a name ten."""
    for body, points in (
        (struct.pack(">i", 0), 1),
        (struct.pack(">ihi", 1, 0, 0), 1),
        (struct.pack(">ihxxi", 1, 2, 0), 2),
    ):
        stream = held(sized(struct.pack(">i", 7) + body))
        assert score_response(stream, 0, {7: (2, 0)}).points == 2 + points + SEGMENT + END_OF_STREAM, body


@pytest.mark.parametrize(
    ("size", "possible"), [(-1, False), (3, False), (4, True), (1 << 30, True), ((1 << 30) + 1, False)]
)
def test_sizes_of_responses(size: int, possible: bool) -> None:
    stream = held(struct.pack(">ii", size, 7) + b"\1\2\3\4")
    assert (score_response(stream, 0, {7: (500, 0)}).points >= 0) == possible


def test_an_answer_with_a_byte_too_many_or_too_few_is_none() -> None:
    for body, possible in ((b"\0\0", True), (b"\0", False), (b"\0\0\0", False)):
        stream = held(sized(struct.pack(">i", 7) + body))
        assert (score_response(stream, 0, RESPONSE).points >= 0) == possible, body


@pytest.mark.parametrize(
    ("step", "first", "at_segment", "points"),
    [
        *((None, True, True, 3), (1, True, True, 3), (1, False, True, 3)),
        *((2, True, True, 3), (16, True, True, 3), (17, True, True, 0), (0, True, True, 0), (-1, True, True, 0)),
        *((2, False, True, 0), (1, True, False, 0), (None, True, False, 0)),
    ],
)
def test_points_of_a_response_whose_request_is_lost(
    step: int | None, first: bool, at_segment: bool, points: int
) -> None:
    response = sized(struct.pack(">i", 700) + b"some body")
    before = b"\xff" * 600
    stream = held(before, response, b"more") if at_segment else held(before + response + b"more")
    assert lone_points(stream, 600, 600 + len(response), 700, step, first) == points


@pytest.mark.parametrize(("step", "points"), [(None, 3), (1, 3), (2, 2), (16, 2), (17, 0)], ids=str)
def test_behind_lost_segments_an_id_further_on_says_less(step: int | None, points: int) -> None:
    response = sized(struct.pack(">i", 700) + b"some body")
    stream = behind_a_gap(b"\xff" * 600, 50, response, b"more")
    assert lone_points(stream, 650, 650 + len(response), 700, step, True) == points


@pytest.mark.parametrize(("length", "points"), [(512, 3), (513, 0)])
def test_between_gaps_that_are_near_a_lost_response_may_stand_within_a_segment(length: int, points: int) -> None:
    response = sized(struct.pack(">i", 700) + b"some body")
    stream = behind_a_gap(b"\xff" * 600, 50, b"\xff" * (length - len(response)) + response)
    stream.push_gap(gap(OF, 0, 50, 3))
    stream.push(data(OF, 0, b"more", 4))
    place = 650 + length - len(response)
    assert lone_points(stream, place, place + len(response), 700, 1, True) == points


def versions(keys: list[int]) -> bytes:
    """ApiVersions v0: no error, and an array of int16 key, oldest and newest version."""
    return struct.pack(">ihi", 7, 0, len(keys)) + b"".join(struct.pack(">hhh", key, 0, 3) for key in keys)


@pytest.mark.parametrize(
    ("keys", "listed"),
    [
        (range(8), True),
        (range(7), False),
        # More than half of them are known.
        ([*range(5), 501, 502, 503], True),
        ([*range(4), 501, 502, 503, 504], False),
    ],
)
def test_a_list_of_versions_has_eight_apis_most_of_which_are_known(keys: list[int], listed: bool) -> None:
    assert looks_like_api_versions(versions([*keys])) == listed
    stream = held(sized(versions([*keys])))
    assert score_response(stream, 0, {}).points == (4 if listed else 0) + SEGMENT + END_OF_STREAM


def test_what_reads_as_a_produce_may_be_a_response_whose_id_is_small() -> None:
    """Its API key and version are the upper and the lower half of the id."""
    heartbeats = [heartbeat_response(number) for number in (5, 6, 21, 22, 5)]
    for first, second, may in ((0, 1, True), (0, 2, True), (0, 3, False), (0, 4, False)):
        answer = sized(struct.pack(">i", 5) + b"\x7f" * 40)
        stream = held(answer + heartbeats[second])
        assert may_be_response(stream, 0) == may, (first, second)
    assert may_be_response(held(sized(struct.pack(">i", 5) + b"\x7f" * 40)), 0)
    # A null client id, and a body that is none.
    assert may_be_response(held(sized(struct.pack(">i", 5) + b"\xff" * 40)), 0)
    assert not may_be_response(held(metadata_request(1)), 0)
    assert not may_be_response(held(produce_request(1, 1)), 0)
    assert may_be_response(held(produce_request(1, 1, client_id="")), 0)
    assert not may_be_response(held(b"\0\0"), 0)
