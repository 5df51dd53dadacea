"""Record batches that other projects keep as fixtures, with what their own decoders make of them."""

import base64
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.records.batches import Batch, PlacedProblem, read_batches
from kafkasniff.protocol.records.records import read_records
from tests.conftest import SHARED, needs_shared

FETCH = 1
PRODUCE = 0
CORRELATION_ID_BYTES = 4

Opened = tuple[Batch, list[dict[str, Any]], list[PlacedProblem]]


@needs_shared
def test_rskafka_batches() -> None:
    seen = 0
    for row in fixture_rows("rskafka_records"):
        expected = row["expected"]
        data = bytes.fromhex(row["hex"])
        ((batch, records, problems),) = open_all(data, 0, len(data))
        assert problems == []
        assert batch.crc_valid
        assert batch.compression == {"NoCompression": "none"}.get(
            expected["compression"], expected["compression"].lower()
        )
        assert batch.base_offset == expected["base_offset"]
        assert batch.last_offset == expected["base_offset"] + expected["last_offset_delta"]
        assert (batch.base_timestamp, batch.max_timestamp) == (expected["first_timestamp"], expected["max_timestamp"])
        assert batch.is_transactional == expected["is_transactional"]
        assert [
            (record["offset"], record["timestamp"], raw(record, "key"), raw(record, "value")) for record in records
        ] == [
            (
                expected["base_offset"] + wanted["offset_delta"],
                expected["first_timestamp"] + wanted["timestamp_delta"],
                unhex(wanted["key"]),
                unhex(wanted["value"]),
            )
            for wanted in expected["records"]
        ]
        # Their account leaves out a header whose value has quotes.
        for record, wanted in zip(records, expected["records"], strict=True):
            headers = [(header["key"], raw(header, "value")) for header in record["headers"]]
            assert {(key, bytes.fromhex(value)) for key, value in wanted["headers"]} <= set(headers)
        seen += 1
    assert seen == 7


@needs_shared
def test_kafkajs_message_sets_and_batches() -> None:
    message_sets = batches = 0
    for row in fixture_rows("kafkajs"):
        data = bytes.fromhex(row["hex"])
        if row["framing"].startswith("int32 set size"):
            opened = open_all(data, 4, len(data))
            records = [record for _, found, _ in opened for record in found]
            assert [(record["offset"], raw(record, "key"), raw(record, "value")) for record in records] == [
                (int(wanted["offset"]), unhex(wanted["key"]), unhex(wanted["value"])) for wanted in row["expected"]
            ]
            message_sets += 1
        elif row["framing"] == "record batch v2":
            ((batch, records, problems),) = open_all(data, 0, len(data))
            assert problems == []
            # Their "timestampType 1" is the bit of LogAppendTime.
            assert batch.timestamp_type == "LogAppendTime"
            assert batch.max_timestamp == int(row["expected"]["maxTimestamp"])
            assert {record["timestamp"] for record in records} == {batch.max_timestamp}
            batches += 1
    assert (message_sets, batches) == (2, 1)


@needs_shared
def test_segmentio_fetch_responses_of_mixed_magic() -> None:
    magics = set()
    for row in fixture_rows("segmentio_fetch"):
        opened = list(open_body(row, 4 + CORRELATION_ID_BYTES))
        magics.update(frozenset(batch.magic for batch, _, _ in batches) for batches in opened)
        found = [record for batches in opened for _, records, _ in batches for record in records]
        assert [{"key": record["key"], "value": record["value"]} for record in found] == row["expected"]["messages"]
        assert not [problems for batches in opened for _, _, problems in batches if problems]
    assert magics == {frozenset({1}), frozenset({2}), frozenset({1, 2})}


@needs_shared
def test_kafka_rust_fetch_responses() -> None:
    for row in fixture_rows("kafka_rust_fetch"):
        found = [
            record
            for batches in open_body(row, CORRELATION_ID_BYTES)
            for _, records, _ in batches
            for record in records
        ]
        assert [record["value"] for record in found] == row["expected"]["message_values"]


@needs_shared
def test_codecrafters_batches() -> None:
    counted: Counter[tuple[str, bool, int, tuple[str, ...]]] = Counter()
    for row in fixture_rows("codecrafters"):
        # Size prefix, correlation id and, in header v1, no tagged fields; requests have key, version and client id.
        data = bytes.fromhex(row["hex"])
        offset = 4 + CORRELATION_ID_BYTES + 1
        if row["kind"] == "request":
            offset += 4 + 2 + int.from_bytes(data[12:14])
        for batches in open_body(row, offset):
            for batch, records, problems in batches:
                messages = tuple(message for _, _, message in problems)
                counted[row["kind"], batch.crc_valid, len(records), messages] += 1
    # Their README: two batches with a bad CRC, and records with header count -1.
    no_headers = ("expected the number of headers, found -1",)
    assert counted == {
        ("request", True, 1, ()): 4,
        ("request", True, 2, ()): 2,
        ("request", True, 3, ()): 3,
        ("response", True, 0, no_headers): 3,
        ("response", False, 0, no_headers): 2,
    }


def fixture_rows(name: str) -> Iterator[dict[str, Any]]:
    with (SHARED / "fixtures" / "vectors" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["api_key"] in {None, FETCH, PRODUCE}:
                yield row


def open_body(row: dict[str, Any], offset: int) -> Iterator[list[Opened]]:
    """Decode a message whose body begins at `offset`; give the batches of each of its `records` fields."""
    data = bytes.fromhex(row["hex"])
    body = decode_body(row["api_key"], row["api_version"], row["kind"], data, offset)
    assert body.value is not None, body.problems
    for field in body.records:
        yield open_all(data, field.start, field.end)


def open_all(data: bytes, start: int, end: int) -> list[Opened]:
    batches, _ = read_batches(data, start, end, side="response")
    return [(batch, *read_records(data, batch)) for batch in batches]


def raw(item: dict[str, Any], name: str) -> bytes | None:
    if name not in item:
        return base64.b64decode(item[f"{name}Base64"])
    return None if item[name] is None else item[name].encode()


def unhex(item: dict[str, str] | None) -> bytes | None:
    return None if item is None else bytes.fromhex(item["$hex"])
