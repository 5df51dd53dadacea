from base64 import b64encode
from typing import Any

import pytest

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.definitions import api_definition, message_definition
from kafkasniff.protocol.fields import Field, Kind
from kafkasniff.protocol.message_table import MESSAGES
from kafkasniff.protocol.secrets.messages import (
    CONFIG_APIS,
    CONFIG_MESSAGES,
    is_redacted,
    may_hold_secrets,
    redact,
    redact_config,
    redact_damaged,
    redact_message,
)


@pytest.mark.parametrize(
    ("key", "kind", "value", "shown"),
    [
        (36, "request", {"authBytes": "c2VjcmV0"}, {"authBytes": "***"}),
        (36, "request", {"authBytes": ""}, {"authBytes": ""}),
        (36, "response", {"errorCode": 0, "authBytes": "c2VjcmV0"}, {"errorCode": 0, "authBytes": "***"}),
        (38, "response", {"tokenId": "t", "hmac": "aG1hYw=="}, {"tokenId": "t", "hmac": "***"}),
        (39, "request", {"hmac": "aG1hYw=="}, {"hmac": "***"}),
        (40, "request", {"hmac": "aG1hYw=="}, {"hmac": "***"}),
        (41, "response", {"tokens": [{"tokenId": "t", "hmac": "aA=="}]}, {"tokens": [{"tokenId": "t", "hmac": "***"}]}),
        (
            51,
            "request",
            {"deletions": [], "upsertions": [{"name": "u", "salt": "cw==", "saltedPassword": "cA=="}]},
            {"deletions": [], "upsertions": [{"name": "u", "salt": "***", "saltedPassword": "***"}]},
        ),
        (36, "request", {}, {}),
    ],
)
def test_secret_fields(key: int, kind: Kind, value: dict[str, Any], shown: dict[str, Any]) -> None:
    assert redact(key, kind, value) is value
    assert value == shown


@pytest.mark.parametrize(
    ("key", "kind", "array"), [(19, "request", "topics"), (33, "request", "resources"), (44, "request", "resources")]
)
def test_configs(key: int, kind: Kind, array: str) -> None:
    configs = [
        {"name": "retention.ms", "value": "1"},
        {"name": "listener.name.sasl_ssl.ssl.keystore.password", "value": "dummy"},
        {"name": "sasl.jaas.config", "value": None},
    ]
    redact(key, kind, {array: [{"configs": configs}]})
    assert [config["value"] for config in configs] == ["1", "***", None]


def test_synonyms_of_described_configs() -> None:
    config = {"name": "ssl.key.password", "value": None, "synonyms": [{"name": "ssl.key.password", "value": "dummy"}]}
    redact(32, "response", {"results": [{"configs": [config]}]})
    assert config["synonyms"] == [{"name": "ssl.key.password", "value": "***"}]


def test_configs_of_streams() -> None:
    topic: dict[str, Any] = {
        "name": "t",
        "topicConfigs": [{"key": "a.password", "value": "x"}, {"key": "cleanup.policy", "value": "y"}],
    }
    topology = {"subtopologies": [{"stateChangelogTopics": [topic]}]}
    redact(88, "request", {"topology": topology})
    assert [config["value"] for config in topic["topicConfigs"]] == ["***", "y"]
    assert redact(88, "request", {"topology": None}) == {"topology": None}
    redact(89, "response", {"groups": [{"topology": topology}]})
    record = {"lastAssignmentConfigs": [{"key": "api.token", "value": "x"}]}
    assert redact_message("StreamsGroupMetadataValue", record) == {
        "lastAssignmentConfigs": [{"key": "api.token", "value": "***"}]
    }


def test_secrets_inside_of_values() -> None:
    config = {"name": "connection.url", "value": "postgres://kafka:hunter2@db/orders"}
    assert redact_config(config)["value"] == "postgres://kafka:***@db/orders"


def test_what_the_broker_calls_sensitive() -> None:
    assert redact_config({"name": "x", "value": "y", "isSensitive": True})["value"] == "***"
    assert redact_config({"name": "x", "value": "y", "isSensitive": False})["value"] == "y"


def test_all_apis_with_configs_are_known() -> None:
    """A config is a struct with a name or key and a value of text; tags of clients are none."""

    def has_configs(fields: tuple[Field, ...]) -> bool:
        texts = {field.name for field in fields if field.type == "string"}
        inner = any(has_configs(field.fields) for field in fields if field.name != "clientTags")
        return inner or ("value" in texts and bool({"name", "key"} & texts))

    kinds: tuple[Kind, Kind] = ("request", "response")
    sides = [(api, kind) for api in APIS for kind in kinds]
    assert {side for side in sides if has_configs(api_definition(*side).fields)} == CONFIG_APIS
    assert {
        name for name in MESSAGES if has_configs(message_definition(name).fields) and name != "ConfigRecord"
    } == CONFIG_MESSAGES


def request(api_key: int) -> str:
    return b64encode(api_key.to_bytes(2) + bytes.fromhex("0000" + "00000001" + "ffff")).decode()


def test_envelope_is_hidden_when_its_api_has_secrets() -> None:
    assert redact(58, "request", {"requestData": request(51)}) == {"requestData": "***"}
    topics = request(20)
    assert redact(58, "request", {"requestData": topics}) == {"requestData": topics}
    assert redact(58, "request", {"requestData": "AAAA"}) == {"requestData": "***"}
    assert redact(58, "response", {"responseData": "AAAA", "errorCode": 0}) == {"responseData": "***", "errorCode": 0}
    assert redact(58, "response", {"responseData": None}) == {"responseData": None}


def test_apis_that_may_hold_secrets() -> None:
    assert [key for key in range(95) if may_hold_secrets(key)] == [
        19, 32, 33, 36, 38, 39, 40, 41, 44, 51, 58, 59, 88, 89
    ]  # fmt: skip
    assert may_hold_secrets(10_000), "of a vendor"


def test_messages_that_are_no_api() -> None:
    record = {"name": "u", "salt": "cw==", "storedKey": "aw==", "serverKey": "aw==", "iterations": 4096}
    redact_message("UserScramCredentialRecord", record)
    assert record == {"name": "u", "salt": "***", "storedKey": "***", "serverKey": "***", "iterations": 4096}
    assert redact_message("ConfigRecord", {"name": "ssl.key.password", "value": "x"})["value"] == "***"
    assert redact_message("TopicRecord", {"name": "password", "topicId": "x"}) == {"name": "password", "topicId": "x"}


def test_what_was_replaced_is_found() -> None:
    assert is_redacted({"a": [1, {"b": "jdbc://u:***@h"}]})
    assert not is_redacted({"a": [1, {"b": "*"}], "c": None})
    assert not is_redacted(None)


def test_of_a_damaged_message_no_text_stays() -> None:
    value = {"a": "hunter2", "b": ["hunter2", "", 3], "c": [{"d": "hunter2", "e": None, "f": True}]}
    redact_damaged(value)
    assert value == {"a": "***", "b": ["***", "", 3], "c": [{"d": "***", "e": None, "f": True}]}
