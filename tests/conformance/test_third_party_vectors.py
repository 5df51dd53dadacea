"""Messages of other people's test suites: decoded whole, with the values that their owners expect."""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafkasniff.protocol.api_keys import API_VERSIONS
from kafkasniff.protocol.bodies import DecodedBody, decode_body
from kafkasniff.protocol.headers import read_request_header, read_response_header, response_header_version
from tests.conftest import SHARED, needs_shared

pytestmark = needs_shared

Row = dict[str, Any]

FILES = ("codecrafters", "kafka_rust_fetch", "kafkajs", "pixie", "segmentio_fetch")

TAG_BUFFER = "flexible header tag buffer"
"""Framing of rows that begin with the last byte of a flexible header."""

OWN_WORDS = {"clientSideThrottleTime", "compression", "apiKey", "apiVersion"}
"""What kafkajs adds to the values on the wire."""

NOT_ON_THE_WIRE = {
    "deleteAcls/v0/request": "resourcePatternType is given to the builder but has no place in version 0",
    "describeConfigs/v0/response": "configSource is worked out by the decoder, version 0 has none",
    "saslAuthenticate/": "authBytes are expected together with their length",
    "syncGroup/v0/request": "the assignment is given as an object, and sent as the text [object Object]",
}
"""Rows whose expected values are not those of the bytes, with the reason."""


def read_rows(name: str) -> list[Row]:
    path = SHARED / "fixtures" / "vectors" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def messages(name: str) -> list[Row]:
    return [row for row in read_rows(name) if row["kind"] != "records"]


def decode(row: Row) -> DecodedBody:
    """Decode a row's body, past the size prefix and header that its framing names."""
    data = bytes.fromhex(row["hex"])
    framing, key, version = row["framing"], row["api_key"], row["api_version"]
    offset = 4 if framing.startswith("size prefix") else 0
    if framing.startswith(TAG_BUFFER):
        offset = 1
    elif "header" in framing and row["kind"] == "request":
        offset = read_request_header(data, offset).end
    elif "header" in framing:
        header_version = 0 if "header v0" in framing else response_header_version(key, version)
        _, offset = read_response_header(data, header_version, offset)
    return decode_body(key, version, row["kind"], data, offset)


def leaves(value: Any, key: str = "") -> Iterator[str]:
    """Give the texts and numbers of a tree, as text."""
    if isinstance(value, dict):
        if "$hex" in value:
            yield b64encode(bytes.fromhex(value["$hex"])).decode()
            return
        for name, inner in value.items():
            if not name.startswith("$") and name not in OWN_WORDS:
                yield from leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, key)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


@pytest.mark.parametrize("name", FILES)
def test_exact_rows_decode_whole(name: str, add_figure: Callable[..., None]) -> None:
    exact = [row for row in messages(name) if row["schema_check"].startswith("exact")]
    wrong = [(row["api_key"], row["api_version"], row["kind"]) for row in exact if decode(row).problems]
    add_figure("Third-party vectors", name, rows=len(exact), different=len(wrong))
    assert exact
    assert wrong == []


@pytest.mark.parametrize("name", FILES)
def test_dirty_rows_are_told(name: str) -> None:
    dirty = [row for row in messages(name) if row["schema_check"].startswith(("short", "trailing", "no schema"))]
    for row in dirty:
        body = decode(row)
        if row["api_key"] == API_VERSIONS and body.version == 0:
            # The owner's decoder does not know that such an answer is in version 0 (KIP-511).
            assert body.value is not None
            assert body.value["errorCode"] == 35
            continue
        assert body.problems
        if row["schema_check"].startswith("trailing") and body.value is not None:
            assert body.problems[0][2].endswith(f"found {row['schema_check'].split()[1]} more bytes")


def test_kafkajs_values() -> None:
    """Whatever kafkajs expects of a message without records stands in the decoded body as often."""
    compared = 0
    for row in messages("kafkajs"):
        if not row["schema_check"].startswith("exact") or not isinstance(row["expected"], dict):
            continue
        if (row["api_key"], row["kind"]) in {(0, "request"), (1, "response")} or any(
            f"/{place}" in row["source"] for place in NOT_ON_THE_WIRE
        ):
            continue
        expected = Counter(leaves(row["expected"]))
        decoded = Counter(leaves(decode(row).value))
        assert expected <= decoded, (row["source"], expected - decoded)
        compared += 1
    assert compared > 150
