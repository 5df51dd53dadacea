"""Every API in every version, both ways, against Kafka's own bytes and JSON."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.bodies.decoding import body_table
from kafkasniff.protocol.headers import read_request_header, read_response_header, response_header_version
from tests.conformance.vector_rows import API_FILES, Row, json_text, name_of, read_value, rows
from tests.protocol.bodies.json_reading import read_json

Decoded = tuple[dict[str, Any], int]


def whole(row: Row, body: bytes) -> Decoded:
    return read_value(body_table(row["api_key"], row["api_version"], row["kind"]), body, is_partial=False)


def partial(row: Row, body: bytes) -> Decoded:
    """Read as what does not decode whole is read."""
    return read_value(body_table(row["api_key"], row["api_version"], row["kind"]), body, is_partial=True)


def as_json(row: Row, body: bytes) -> Decoded:
    found = read_json(row["api_key"], row["api_version"], row["kind"], True, body)
    assert found is not None
    return json.loads(found.text), len(body)


def public(row: Row, body: bytes) -> Decoded:
    decoded = decode_body(row["api_key"], row["api_version"], row["kind"], body, 0)
    assert decoded.problems == []
    assert decoded.value is not None
    return decoded.value, decoded.end


@pytest.mark.parametrize("decode", [whole, partial, as_json, public])
@pytest.mark.parametrize("file", API_FILES)
def test_bodies_decode_as_kafka_prints_them(
    file: str, decode: Callable[[Row, bytes], Decoded], add_figure: Callable[..., None]
) -> None:
    different = []
    bytes_left = 0
    for row in rows(file):
        body = bytes.fromhex(row["body_hex"])
        value, end = decode(row, body)
        bytes_left += len(body) - end
        if json_text(value) != json_text(row["json"]):
            different.append(name_of(row))
    add_figure(
        "API vectors",
        f"{file}, {decode.__name__}",
        rows=len(rows(file)),
        different=len(different),
        bytes_left=bytes_left,
    )
    assert different == []
    assert bytes_left == 0


def test_request_headers_read_as_kafka_prints_them(add_figure: Callable[..., None]) -> None:
    for row in rows("api-requests"):
        raw = bytes.fromhex(row["header_hex"])
        header = read_request_header(raw + bytes.fromhex(row["body_hex"]))
        expected = row["header_json"]
        assert header.api_key == expected["requestApiKey"]
        assert header.api_version == expected["requestApiVersion"]
        assert header.correlation_id == expected["correlationId"]
        assert header.client_id == expected.get("clientId")
        assert header.header_version == row["header_version"]
        assert header.end == len(raw)
    add_figure("Headers", "requests", rows=len(rows("api-requests")), different=0)


def test_response_headers_read_as_kafka_prints_them(add_figure: Callable[..., None]) -> None:
    for row in rows("api-responses"):
        raw = bytes.fromhex(row["header_hex"])
        version = response_header_version(row["api_key"], row["api_version"])
        assert version == row["header_version"]
        body = bytes.fromhex(row["body_hex"])
        assert read_response_header(raw + body, version) == (row["header_json"]["correlationId"], len(raw))
    add_figure("Headers", "responses", rows=len(rows("api-responses")), different=0)


def test_vectors_cover_every_version_that_is_known() -> None:
    known = {
        (api.key, version, kind)
        for api in APIS.values()
        for version in range(api.first_version, api.last_version + 1)
        for kind in ("request", "response")
    }
    covered = {(row["api_key"], row["api_version"], row["kind"]) for file in API_FILES for row in rows(file)}
    assert covered == known
    assert len(APIS) == 95
    assert len(known) == 2 * 368
