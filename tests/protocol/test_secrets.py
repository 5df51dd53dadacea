from base64 import b64encode
from typing import Any

import pytest

from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.secrets import is_secret_config, may_hold_secrets, redact, redact_message


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


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("ssl.truststore.password", True),
        ("ssl.keystore.key", True),
        ("ssl.keystore.type", False),
        ("listener.name.x.plain.sasl.jaas.config", True),
        ("sasl.oauthbearer.client.credentials.client.secret", True),
        ("sasl.oauthbearer.client.credentials.client.id", False),
        ("delegation.token.secret.key", True),
        ("delegation.token.max.lifetime.ms", False),
        ("password.encoder.iterations", False),
        ("confluent.basic.auth.user.info", True),
        ("cleanup.policy", False),
    ],
)
def test_secret_configs(name: str, secret: bool) -> None:
    assert is_secret_config(name) == secret


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
    assert [key for key in range(95) if may_hold_secrets(key)] == [19, 32, 33, 36, 38, 39, 40, 41, 44, 51, 58]


def test_messages_that_are_no_api() -> None:
    record = {"name": "u", "salt": "cw==", "storedKey": "aw==", "serverKey": "aw==", "iterations": 4096}
    redact_message("UserScramCredentialRecord", record)
    assert record == {"name": "u", "salt": "***", "storedKey": "***", "serverKey": "***", "iterations": 4096}
    assert redact_message("ConfigRecord", {"name": "ssl.key.password", "value": "x"})["value"] == "***"
    assert redact_message("TopicRecord", {"name": "password", "topicId": "x"}) == {"name": "password", "topicId": "x"}
