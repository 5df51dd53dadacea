"""The beginnings of messages that Kafka's own classes wrote agree with their layouts, and other bytes hardly do."""

import gzip
import json
import random
import struct
from typing import Any

import pytest

from kafkasniff.calls.resync.agreement import LARGEST_COMPLETED, agreement_of_cut, is_fetched
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.tcp.events import StreamGap
from tests.calls.hand_made import BUDGET, connection, data, sized
from tests.conftest import VECTORS

OF = connection()


def cut(there: bytes, lost: int) -> HeldStream:
    """A stream that a gap cuts off behind its first segment."""
    made = HeldStream(1 << 22, BUDGET)
    segment = data(OF, 0, there, 0)
    made.push(segment)
    made.push_gap(StreamGap(OF, 0, lost, segment.arrival, cut=False))
    return made


def large_requests() -> list[dict[str, Any]]:
    with gzip.open(VECTORS / "api-requests.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if len(row["body_hex"]) > 100][::7]


def of_request(row: dict[str, Any], content: bytes, kept: int) -> int:
    frame = sized(content)
    held = cut(frame[:kept], len(frame) - kept)
    return agreement_of_cut(held, 4, len(content), "request", row["api_key"], row["api_version"])


def whole_requests() -> list[tuple[dict[str, Any], bytes]]:
    return [(row, bytes.fromhex(row["header_hex"] + row["body_hex"])) for row in large_requests()]


def test_the_first_half_of_a_request_does_not_contradict_its_layout() -> None:
    requests = whole_requests()
    assert len(requests) > 100
    refused = []
    for row, content in requests:
        if of_request(row, content, len(content) // 2) < 0:
            refused.append((row["api_name"], row["api_version"], row["row"]))
    assert refused == []


def test_a_whole_body_before_the_gap_contradicts_a_larger_size() -> None:
    """ApiVersions v0 ends behind its header, whatever the size says of 40 bytes more."""
    content = struct.pack(">hhih", 18, 0, 7, 4) + b"shop"
    frame = struct.pack(">i", len(content) + 40) + content + b"\xff" * 4
    assert agreement_of_cut(cut(frame, 40), 4, len(content) + 40, "request", 18, 0) == -1


def test_nothing_is_said_of_messages_too_large_to_complete() -> None:
    row, content = whole_requests()[0]
    for size, telling in ((len(content) + 4_000, True), (LARGEST_COMPLETED + 1, False)):
        held = cut(struct.pack(">i", size) + content[: len(content) // 2], size - len(content) // 2)
        agreement = agreement_of_cut(held, 4, size, "request", row["api_key"], row["api_version"])
        assert (agreement > 0) == telling


def fetches() -> list[bytes]:
    """Responses with records that Kafka's own classes wrote, with their headers."""
    with gzip.open(VECTORS / "api-responses.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [bytes.fromhex(row["header_hex"] + row["body_hex"]) for row in rows if row["api_name"] == "FETCH"]


def test_a_fetch_response_is_known_by_its_first_batch() -> None:
    known = [is_fetched(cut(sized(content)[:-20], 20), 4, len(content)) for content in fetches()]
    assert sum(known) >= 10


def test_other_responses_are_no_fetched_batches() -> None:
    with gzip.open(VECTORS / "api-responses.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    taken = set()
    for row in rows:
        content = bytes.fromhex(row["header_hex"] + row["body_hex"])
        if len(content) > 60 and is_fetched(cut(sized(content)[: len(content) // 2], 20), 4, len(content)):
            taken.add(row["api_name"])
    assert taken <= {"FETCH"}


def test_random_bytes_mostly_contradict_it() -> None:
    rng, requests = random.Random(5), large_requests()
    agreeing = 0
    for row in requests:
        content = bytes.fromhex(row["header_hex"]) + rng.randbytes(len(row["body_hex"]) // 2)
        agreeing += of_request(row, content, len(content) // 2) > 0
    assert agreeing < len(requests) / 4


def test_a_text_that_runs_beyond_the_end_says_no_more_than_what_is_before_it() -> None:
    """Found by damage: a size and an id within a Fetch answer, behind which any bytes read as a broker's name."""
    there = struct.pack(">ihih", 1, -1, 3, 3395) + bytes(range(32, 127)) * 3
    held = cut(sized(there + bytes(150_000))[: 4 + len(there)], 150_000)
    assert agreement_of_cut(held, 4, len(there) + 150_000, "response", 10, 0) == 2


def test_much_of_a_body_that_agrees_says_more() -> None:
    points = [of_request(row, content, len(content) // 2) for row, content in whole_requests()]
    assert points.count(3) > 20


def test_a_header_with_half_a_million_tagged_fields_is_none() -> None:
    """Found by `tools.fuzz`: the zeros behind what is there read as tagged fields, which took a second."""
    fields = bytes.fromhex("80 80 20")  # 524,288 as an unsigned varint
    header = struct.pack(">hhih", 18, 3, 7, 4) + b"shop" + fields
    held = cut(sized(header + bytes(1_000_000))[: 4 + len(header)], 1_000_000)
    assert agreement_of_cut(held, 4, len(header) + 1_000_000, "request", 18, 3) < 0


@pytest.mark.parametrize(("seen", "points"), [(0, 0), (5, 0), (6, 1), (15, 1), (16, 2), (47, 2), (48, 3), (60, 3)])
def test_points_by_the_bytes_of_a_body_that_are_there(seen: int, points: int) -> None:
    """Metadata v1 of nine topics: a count, and texts of nine bytes behind their lengths; 48 bytes hold four whole."""
    header = struct.pack(">hhih", 3, 1, 7, 4) + b"shop"
    body = struct.pack(">i", 9) + b"".join(struct.pack(">h", 9) + b"orders-%02d" % number for number in range(9))
    held = cut(sized(header + body)[: 4 + len(header) + seen], len(body) - seen)
    assert agreement_of_cut(held, 4, len(header) + len(body), "request", 3, 1) == points
