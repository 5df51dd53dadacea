"""The JSON of bodies against Kafka's own bytes and JSON, whole and with secrets replaced."""

import gzip
import json
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from kafkasniff.protocol.bodies import decode_body, find_entities, find_errors
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.secrets.messages import redact
from tests.conftest import VECTORS
from tests.protocol.bodies.json_reading import read_json
from tests.render.made_calls import text

METADATA = 3
HEARTBEAT = 12
DESCRIBE_CONFIGS = 32
ALTER_CONFIGS = 33


def rows(kind: str) -> Iterator[dict[str, Any]]:
    with gzip.open(VECTORS / f"api-{kind}s.jsonl.gz", "rt") as lines:
        yield from map(json.loads, lines)


def differs(row: dict[str, Any], kind: Kind, show_secrets: bool) -> bool:
    key, version, body = row["api_key"], row["api_version"], bytes.fromhex(row["body_hex"])
    if key == 58 and not show_secrets:
        # What an Envelope holds is replaced elsewhere.
        return False
    expected = row["json"] if show_secrets else redact(key, kind, json.loads(json.dumps(row["json"])))
    # Behind other bytes, and alone.
    for data, offset in ((b"header" + body, 6), (body, 0)):
        found = read_json(key, version, kind, show_secrets, data, offset)
        if found is None:
            return True
        named = find_entities(key, version, kind, row["json"]).get("topicId", [])
        known_ids = [topic_id for topic_id in dict.fromkeys(found.topic_ids) if topic_id != "AAAAAAAAAAAAAAAAAAAAAA"]
        shifted = [
            (path, start + offset, end + offset)
            for path, start, end in decode_body(key, version, kind, body, 0).records
        ]
        if (
            json.dumps(json.loads(found.text)) != json.dumps(expected)
            or found.errors != find_errors(key, version, kind, row["json"])
            or known_ids != named
            or found.records != shifted
        ):
            return True
    return False


@pytest.mark.parametrize("kind", ["request", "response"])
def test_what_kafka_prints(kind: Kind) -> None:
    different = [row["row"] for row in rows(kind) if differs(row, kind, False) or differs(row, kind, True)]
    assert different == []


def test_what_has_a_problem_is_not_read() -> None:
    body = bytes.fromhex("0007 62696c6c696e67 00000005 0003 6d2d31".replace(" ", ""))
    for changed in (body + b"\0", body[:-1], body.replace(b"bill", b"b\xffll")):
        assert read_json(HEARTBEAT, 0, "request", False, changed) is None
    found = read_json(HEARTBEAT, 0, "request", False, body)
    assert found is not None
    assert found.text == b'{"groupId":"billing","generationId":5,"memberId":"m-1"}'


def test_counts_beyond_the_end_of_a_short_body() -> None:
    # Metadata v1 asks for as many topics as there can be, and names one.
    for body, is_sound in ((b"\x7f\xff\xff\xff\0\1a", False), (b"\0\0\0\2\0\1a", False), (b"\0\0\0\1\0\1a", True)):
        assert (read_json(METADATA, 1, "request", False, body) is not None) == is_sound


def test_secret_configs_among_many() -> None:
    def config(name: bytes, value: bytes) -> bytes:
        return struct.pack(">h", len(name)) + name + struct.pack(">h", len(value)) + value

    configs = [config(b"some.setting.%d" % number, b"x" * 200) for number in range(20)]
    configs.append(config(b"ssl.key.password", b"hush"))
    body = struct.pack(">ibhsi", 1, 4, 1, b"1", len(configs)) + b"".join(configs) + b"\0"
    for show_secrets, shown in ((False, "***"), (True, "hush"), (False, "***")):
        for _ in range(2):
            found = read_json(ALTER_CONFIGS, 0, "request", show_secrets, body)
            assert found is not None
            assert json.loads(found.text)["resources"][0]["configs"][-1] == {"name": "ssl.key.password", "value": shown}


def test_configs_are_hidden_by_name_by_what_the_broker_says_and_inside_values() -> None:
    def synonym(name: str, value: str | None) -> bytes:
        return text(name) + text(value) + b"\5"

    def config(name: str, value: str | None, sensitive: int, synonyms: list[bytes]) -> bytes:
        return (
            text(name)
            + text(value)
            + b"\0\5"
            + bytes([sensitive])
            + struct.pack(">i", len(synonyms))
            + b"".join(synonyms)
        )

    configs = [
        config("retention.ms", "86400000", 0, [synonym("ssl.key.password", "longer than three"), synonym("a", "b")]),
        config("my.setting", "v", 1, [synonym("my.setting", "https://u:hush@host/"), synonym("x", None)]),
        config("ssl.key.password", "", 0, []),
        config("sasl.jaas.config", "p", 0, [synonym("l", 'a "b" Bearer abcdefghijkl')]),
    ]
    body = struct.pack(">iihhb", 0, 1, 0, -1, 4) + text("1") + struct.pack(">i", len(configs)) + b"".join(configs)
    found = read_json(DESCRIBE_CONFIGS, 1, "response", False, body)
    assert found is not None
    shown = json.loads(found.text)["results"][0]["configs"]
    assert [each["value"] for each in shown] == ["86400000", "***", "", "***"]
    assert [[each["value"] for each in one["synonyms"]] for one in shown] == [
        ["***", "b"],
        ["https://u:***@host/", None],
        [],
        ['a "b" Bearer ***'],
    ]
    assert [each["isSensitive"] for each in shown] == [False, True, False, False]
