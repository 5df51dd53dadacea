"""Evidence, weighed on the messages that Kafka's own classes wrote."""

import gzip
import json
import random
import struct
from typing import Any

import pytest

from kafkasniff.calls.resync.evidence import (
    IMPOSSIBLE,
    PROOF,
    PlausibleHeader,
    goes_on,
    looks_like_api_versions,
    request_header,
    score_request,
    score_response,
)
from kafkasniff.calls.resync.held import HeldStream
from tests.calls.hand_made import (
    BUDGET,
    connection,
    data,
    gap,
    heartbeat_response,
    metadata_request,
    metadata_response,
    sized,
)
from tests.conftest import VECTORS

OF = connection()


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(VECTORS / name, "rt") as lines:
        return [json.loads(line) for line in lines]


def held(*segments: bytes) -> HeldStream:
    made = HeldStream(1 << 22, BUDGET)
    for packet, segment in enumerate(segments):
        made.push(data(OF, 0, segment, packet))
    return made


def never(correlation_id: int) -> bool:
    return False


def test_every_request_of_kafka_has_a_plausible_header() -> None:
    refused = []
    for row in rows("api-requests.jsonl.gz"):
        content = bytes.fromhex(row["header_hex"] + row["body_hex"])
        header = request_header(sized(content))
        if header is None or header.correlation_id != row["header_json"]["correlationId"]:
            refused.append((row["api_name"], row["api_version"], row["row"]))
    assert refused == []


def test_a_client_id_that_is_longer_than_its_request_is_none() -> None:
    frame = sized(struct.pack(">hhih", 18, 0, 7, 20) + b"shop")
    assert score_request(held(frame + b"\xff" * 40), 0, never) == IMPOSSIBLE


def test_two_requests_that_follow_each_other_are_proof() -> None:
    weak = []
    for row in rows("api-requests.jsonl.gz"):
        if row["api_key"] == 17 or not any(bytes.fromhex(row["header_hex"])[:10]):
            continue
        content = bytes.fromhex(row["header_hex"] + row["body_hex"])
        content = content[:4] + struct.pack(">i", 1) + content[8:]
        points = score_request(held(sized(content) + metadata_request(2)), 0, never).points
        if points < PROOF:
            weak.append((row["api_name"], row["api_version"], row["row"], points))
    assert weak == []


@pytest.mark.parametrize("shift", [1, 2, 3, 5, 8, 13])
def test_a_place_beside_a_frame_is_none(shift: int) -> None:
    stream = held(metadata_request(1) + metadata_request(2) + metadata_request(3))
    assert score_request(stream, 0, never).points >= PROOF
    assert score_request(stream, shift, never) == IMPOSSIBLE


def test_a_frame_that_ends_inside_another_is_impossible() -> None:
    wrong = struct.pack(">i", 40) + metadata_request(1)[4:]
    assert score_request(held(wrong + metadata_request(2)), 0, never) == IMPOSSIBLE


def test_random_bytes_are_no_proof() -> None:
    chance = random.Random(11)
    for _ in range(200):
        stream = held(*(chance.randbytes(200) for _ in range(5)))
        assert all(score_request(stream, place, never).points < PROOF for place in range(0, 1000, 7))


def test_a_known_client_id_or_an_answer_adds_points() -> None:
    stream = held(metadata_request(1)[:-3])
    alone = score_request(stream, 0, never).points
    assert score_request(stream, 0, {1}.__contains__).points == alone + 2
    assert score_request(stream, 0, never, {"shop"}).points >= PROOF


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


def test_responses_that_look_like_requests_are_no_proof() -> None:
    """ListOffsets v1 responses of kafka-go, which read as Produce v1 requests that leave bytes behind."""
    first, second = (
        bytes.fromhex("00000032" + number + "00000001000e")
        + b"orders-segment"
        + bytes.fromhex("00000001000000000000")
        + end
        for number, end in (("00000001", b"\xff" * 8 + bytes(8)), ("00000002", b"\xff" * 8 + bytes(7) + b"#"))
    )
    assert score_request(held(first, second), 0, never).points < PROOF


def test_a_length_that_leads_to_a_response_is_no_frame() -> None:
    # A field that ends its message: seven bytes, and then the response that is asked for.
    stream = struct.pack(">i", 7) + b"\x11\x01\x08\x2e\x6b\x52\x1f" + metadata_response(9) + heartbeat_response(10)
    held = HeldStream(1 << 20, BUDGET)
    held.push(data(connection(), 1, stream, 1))
    pending = {9: (3, 1), 10: (12, 0)}
    assert score_response(held, 0, pending).points < 0
    assert score_response(held, 11, pending).points >= PROOF


def test_a_length_that_leads_to_a_request_is_no_frame() -> None:
    # The size of a message set, and its beginning as a header: Produce v0, id 500, an empty client id.
    stream = held(b"tail" + struct.pack(">ihhih", 109, 0, 0, 500, 0) + b"\x00\x61\xff\xff")
    stream.push_gap(gap(OF, 0, 109 + 4 - 18, 2))
    stream.push(data(OF, 0, metadata_request(14), 3))
    assert score_request(stream, 4 + 4 + 109, never).points >= PROOF
    assert score_request(stream, 4, never) == IMPOSSIBLE
    assert score_request(stream, 4, never, {""}).points >= PROOF


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


def behind_a_gap(before: bytes, lost: int, *segments: bytes) -> HeldStream:
    made = held(before)
    made.push_gap(gap(OF, 0, lost, 0))
    for packet, segment in enumerate(segments):
        made.push(data(OF, 0, segment, packet + 1))
    return made


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


@pytest.mark.parametrize(("correlation_id", "proven"), [(34, True), (34 << 16, False)])
def test_small_integers_two_bytes_further_are_no_request(correlation_id: int, proven: bool) -> None:
    """Found by damage: 12, 34 and the length of a text, as of a record's value, read as a Heartbeat."""
    content = struct.pack(">hhih", 12, 0, correlation_id, 7) + b"a value of some length, and more of it"
    made = behind_a_gap(b"text" * 10, 40, sized(content + bytes(9000))[: 4 + len(content)])
    made.push_gap(gap(OF, 0, 20_000, 2))
    made.push(data(OF, 0, bytes(9), 3))
    assert (score_request(made, 80, never).points >= PROOF) == proven


@pytest.mark.parametrize(("before", "follows"), [(None, False), ("shop-7", False), ("shop-12", True)])
def test_a_client_id_that_is_cut_names_one_that_begins_so(before: str | None, follows: bool) -> None:
    following = struct.pack(">ihhih", 60, 3, 1, 9, 7) + b"shop-1"
    made = held(following)
    made.push_gap(gap(OF, 0, 44, 1, cut=True))
    made.push(data(OF, 0, bytes(9), 2))
    assert goes_on(made, PlausibleHeader(3, 1, 60, before, cut=False), 0) == follows
    assert goes_on(made, PlausibleHeader(3, 1, 8, before, cut=False), 0)


def test_a_size_that_leads_to_where_nothing_is_says_nothing() -> None:
    """Behind an answer's first bytes a gap reaches up to where its size leads, and nothing came since."""
    answer = struct.pack(">ii", 34, 37) + bytes.fromhex("000000150000000c00")
    points = {}
    for lost in (21, 22):
        stream = held(b"\xff" * 40 + answer)
        stream.push_gap(gap(OF, 0, lost, 2))
        points[lost] = score_response(stream, 40, {37: (31, 0)}).points
    assert points[21] == points[22] > 0
