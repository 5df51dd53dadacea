"""Scans against Kafka's own bytes and JSON: what they give is what the whole body has."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from kafkasniff.protocol.bodies import decode_body, find_errors
from kafkasniff.protocol.bodies.scanning import scan_body
from kafkasniff.render.text.summaries.fields import SUMMARY_FIELDS
from tests.conftest import VECTORS

HEARTBEAT = 12


def rows(kind: str) -> Iterator[dict[str, Any]]:
    with gzip.open(VECTORS / f"api-{kind}s.jsonl.gz", "rt") as lines:
        yield from map(json.loads, lines)


def only(value: Any, names: frozenset[str]) -> Any:
    """Give of Kafka's JSON what a scan for these names should give."""
    if isinstance(value, list):
        return [only(element, names) for element in value]
    if isinstance(value, dict):
        kept = {name: inner for name, inner in value.items() if name.removesuffix("SizeInBytes") in names}
        return {name: only(inner, names) for name, inner in kept.items()}
    return value


def scanned_fields(api_key: int, kind: Any) -> frozenset[str]:
    """The names of some fields: those that the summary of a call names."""
    roles = SUMMARY_FIELDS.get(api_key, ({}, {}))[kind == "response"]
    return frozenset(["records", *(name for path in roles for name in path.split("."))])


@pytest.mark.parametrize("kind", ["request", "response"])
def test_a_scan_gives_what_kafka_prints(kind: Any) -> None:
    different = []
    for row in rows(kind):
        key, version, body = row["api_key"], row["api_version"], bytes.fromhex(row["body_hex"])
        errors = find_errors(key, version, kind, row["json"])
        for names in (frozenset[str](), scanned_fields(key, kind)):
            scan = scan_body(key, version, kind, body, 0, names)
            expected = (only(row["json"], names), errors, decode_body(key, version, kind, body, 0).records)
            if scan is None or (scan.value, scan.errors, scan.records) != expected:
                different.append(row["row"])
    assert different == []


def test_what_has_a_problem_is_not_scanned() -> None:
    body = bytes.fromhex("0007 62696c6c696e67 00000005 0003 6d2d31".replace(" ", ""))
    names = frozenset({"groupId"})
    scan = scan_body(HEARTBEAT, 0, "request", body, 0, names)
    assert scan is not None
    assert scan.value == {"groupId": "billing"}
    assert scan_body(HEARTBEAT, 0, "request", body + b"\0", 0, names) is None
    assert scan_body(HEARTBEAT, 0, "request", body[:-1], 0, names) is None
    assert scan_body(HEARTBEAT, 0, "request", body.replace(b"bill", b"b\xffll"), 0, names) is None
    assert scan_body(HEARTBEAT, 99, "request", body, 0, names) is None
    assert scan_body(9999, 0, "request", body, 0, names) is None


def test_long_bodies_are_scanned_alike() -> None:
    # Produce v0: acks, timeoutMs, one topic with one partition.
    records = bytes(1_500_000)
    body = bytes.fromhex("ffff 000003e8 00000001 0001 61 00000001 00000004".replace(" ", ""))
    body += len(records).to_bytes(4) + records
    scan = scan_body(0, 0, "request", body, 0, scanned_fields(0, "request"))
    assert scan is not None
    assert scan.value["topicData"] == [
        {"name": "a", "partitionData": [{"index": 4, "recordsSizeInBytes": len(records)}]}
    ]
    assert scan.records == [("topicData[0].partitionData[0].records", len(body) - len(records), len(body))]
