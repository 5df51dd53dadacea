import struct
from itertools import pairwise
from random import Random
from typing import Literal

import pytest

from kafkasniff.protocol.records.batches import MAX_BATCHES, as_json, read_batches
from tests.protocol.records.made_batches import BASE_TIMESTAMP, batch, message, record, simple_batch

Side = Literal["request", "response"]

SIDES: tuple[Side, Side] = ("request", "response")

DESIGN_KEYS = [
    "magic",
    "baseOffset",
    "lastOffset",
    "partitionLeaderEpoch",
    "compression",
    "timestampType",
    "baseTimestamp",
    "maxTimestamp",
    "producerId",
    "producerEpoch",
    "baseSequence",
    "isTransactional",
    "isControl",
    "recordCount",
    "sizeInBytes",
    "crc",
    "crcValid",
]


def test_header_of_magic_2() -> None:
    encoded = simple_batch(3, base_offset=70)
    ((found,), problems) = read_batches(b"__" + encoded + b"__", 2, 2 + len(encoded), side="request")
    assert problems == []
    item = as_json(found)
    assert list(item) == DESIGN_KEYS
    assert item == {
        "magic": 2,
        "baseOffset": 70,
        "lastOffset": 72,
        "partitionLeaderEpoch": 3,
        "compression": "none",
        "timestampType": "CreateTime",
        "baseTimestamp": BASE_TIMESTAMP,
        "maxTimestamp": BASE_TIMESTAMP,
        "producerId": -1,
        "producerEpoch": -1,
        "baseSequence": -1,
        "isTransactional": False,
        "isControl": False,
        "recordCount": 3,
        "sizeInBytes": len(encoded),
        "crc": int.from_bytes(encoded[17:21]),
        "crcValid": True,
    }
    assert (found.is_transactional, found.is_control, found.size_in_bytes) == (False, False, len(encoded))
    assert (found.start, found.records_start, found.end) == (2, 63, 2 + len(encoded))
    assert found.sequence(found.last_offset) == -1


def test_a_wrong_checksum_changes_nothing_else() -> None:
    encoded = bytearray(simple_batch(3, base_offset=70))
    ((whole,), _) = read_batches(bytes(encoded), 0, len(encoded), side="request")
    encoded[20] ^= 1
    ((found,), _) = read_batches(bytes(encoded), 0, len(encoded), side="request")
    assert as_json(found) == as_json(whole) | {"crc": int.from_bytes(encoded[17:21]), "crcValid": False}


def test_offsets_wrap_as_java_s_do() -> None:
    for base, delta, last in ((-(2**63), -1, 2**63 - 1), (2**63 - 1, 2**31 - 1, -(2**63) + 2**31 - 2)):
        encoded = batch(b"", 0, base_offset=base, last_offset_delta=delta)
        item = as_json(read_batches(encoded, 0, len(encoded), side="request")[0][0])
        assert item["lastOffset"] == last


def test_attributes() -> None:
    for attributes, expected in (
        (0x01, {"compression": "gzip"}),
        (0x04, {"compression": "zstd"}),
        (0x07, {"compression": "unknown(7)"}),
        (0x08, {"timestampType": "LogAppendTime"}),
        (0x10, {"isTransactional": True}),
        (0x20, {"isControl": True}),
        (0x40, {"deleteHorizonMs": BASE_TIMESTAMP}),
    ):
        encoded = batch(b"", 0, attributes=attributes)
        plain = as_json(read_batches(batch(b"", 0), 0, 61, side="request")[0][0])
        item = as_json(read_batches(encoded, 0, len(encoded), side="request")[0][0])
        assert item == plain | expected | {"crc": item["crc"]}


def test_messages_are_batches_of_one_and_wrappers_of_unknown_count() -> None:
    data = message(b"k", b"v", 0, 5) + message(b"k", b"v", 1, 6, 8, 99) + message(None, b"?", 1, 9, 2, 98)
    batches, problems = read_batches(data, 0, len(data), side="request")
    assert problems == []
    shown = ("magic", "baseOffset", "lastOffset", "compression", "timestampType", "maxTimestamp", "recordCount")
    assert [tuple(as_json(found)[name] for name in shown) for found in batches] == [
        (0, 5, 5, "none", "NoTimestampType", -1, 1),
        (1, 6, 6, "none", "LogAppendTime", 99, 1),
        (1, None, 9, "snappy", "CreateTime", 98, None),
    ]
    assert {as_json(found)["baseTimestamp"] for found in batches} == {None}


def test_sequences_wrap() -> None:
    encoded = batch(b"", 0, base_offset=10, base_sequence=2**31 - 2, last_offset_delta=4)
    ((found,), _) = read_batches(encoded, 0, len(encoded), side="request")
    assert [found.sequence(offset) for offset in range(10, 15)] == [2**31 - 2, 2**31 - 1, 0, 1, 2]
    assert found.sequence(found.last_offset) == 2


def test_a_flipped_bit_is_a_problem_of_its_batch_alone() -> None:
    encoded = simple_batch(2)
    data = encoded + encoded[:-1] + b"?" + encoded
    batches, problems = read_batches(data, 0, len(data), side="response")
    assert [found.crc_valid for found in batches] == [True, False, True]
    ((offset, path, text),) = problems
    assert (offset, path) == (len(encoded) + 17, "[1]")
    assert "expected the CRC" in text


@pytest.mark.parametrize("difference", [-3, -1, 1, 4, 12, 61, 80, 1000, 2**30])
@pytest.mark.parametrize("side", SIDES)
def test_a_wrong_size_costs_no_other_batch(difference: int, side: Side) -> None:
    first, wrong, last = (simple_batch(3, base_offset) for base_offset in (0, 3, 6))
    size = struct.pack(">i", len(wrong) - 12 + difference)
    data = first + wrong[:8] + size + wrong[12:] + last * 2
    batches, problems = read_batches(data, 0, len(data), side=side)
    assert [found.base_offset for found in batches if found.crc_valid] == [0, 6, 6]
    assert [path for _, path, _ in problems] == ["[1]"]


@pytest.mark.parametrize("cut", [2, 5, 30, 50, 60, 62, 80])
def test_missing_bytes_cost_no_other_batch(cut: int) -> None:
    first, short, last = (simple_batch(3, base_offset) for base_offset in (0, 3, 6))
    data = first + short[:-cut] + last
    batches, problems = read_batches(data, 0, len(data), side="response")
    assert [found.base_offset for found in batches if found.crc_valid] == [0, 6]
    assert problems


def test_a_cut_last_batch_is_a_problem_in_a_request_only() -> None:
    data = simple_batch(3) + simple_batch(5, 3)[:-1]
    trailing = len(data) - len(simple_batch(3))
    batches, problems = read_batches(data, 0, len(data), side="response")
    assert problems == []
    assert as_json(batches[0])["partialTrailingBytes"] == trailing
    batches, problems = read_batches(data, 0, len(data), side="request")
    expected = f"expected a batch of {trailing + 1} bytes, found {trailing} bytes left"
    assert problems == [(len(data) - trailing, "[1]", expected)]
    assert "partialTrailingBytes" not in as_json(batches[0])


def test_the_fake_batch_of_down_conversion_is_no_problem() -> None:
    # LazyDownConversionRecordsSend fills up with an offset of -1 and a size beyond what is left.
    data = simple_batch(3) + struct.pack(">qi", -1, 100 + 1) + bytes(100)
    batches, problems = read_batches(data, 0, len(data), side="response")
    assert problems == []
    assert batches[0].partial_trailing_bytes == 112


def test_empty_batches_of_compaction() -> None:
    encoded = batch(b"", 0, base_offset=5, last_offset_delta=9)
    ((found,), problems) = read_batches(encoded, 0, len(encoded), side="response")
    assert (found.record_count, found.base_offset, found.last_offset, problems) == (0, 5, 14, [])


def test_no_bytes_no_batches() -> None:
    assert read_batches(b"abc", 1, 1, side="request") == ([], [])


def test_more_batches_than_can_be_shown() -> None:
    data = message(None, b"") * (MAX_BATCHES + 2)
    batches, problems = read_batches(data, 0, len(data), side="response")
    assert len(batches) == MAX_BATCHES
    assert problems == [(26 * MAX_BATCHES, f"[{MAX_BATCHES}]", "100000 batches are shown, 52 bytes left are not")]


def test_any_bytes_are_survived() -> None:
    random = Random(11)
    whole = simple_batch(4) + message(b"k", b"v", 1) + batch(record(0, b"k", b"v"), 1, attributes=2)
    for _ in range(500):
        data = bytearray(whole * 2)
        for _ in range(random.randrange(1, 6)):
            data[random.randrange(len(data))] = random.choice([0, 1, 2, 127, 128, 255])
        for side in SIDES:
            batches, _ = read_batches(bytes(data), 0, len(data), side=side)
            assert all(0 <= found.start < found.records_start <= found.end <= len(data) for found in batches)
            assert all(a.end <= b.start for a, b in pairwise(batches))
