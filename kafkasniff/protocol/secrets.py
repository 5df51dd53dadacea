"""Replace secrets in decoded messages: SASL tokens, delegation-token HMACs, SCRAM credentials, passwords in configs."""

import re
from base64 import b64decode
from functools import lru_cache
from typing import Any, Final

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.headers import read_request_header

REDACTED: Final = "***"

ENVELOPE: Final = 58

SECRET_FIELDS: Final[dict[tuple[int, Kind], frozenset[str]]] = {
    (36, "request"): frozenset({"authBytes"}),  # SaslAuthenticate
    (36, "response"): frozenset({"authBytes"}),
    (38, "response"): frozenset({"hmac"}),  # Create-, Renew-, Expire-, DescribeDelegationToken
    (39, "request"): frozenset({"hmac"}),
    (40, "request"): frozenset({"hmac"}),
    (41, "response"): frozenset({"hmac"}),
    (51, "request"): frozenset({"salt", "saltedPassword"}),  # AlterUserScramCredentials
}
"""Fields that are secret, by API and side."""

CONFIG_APIS: Final[dict[tuple[int, Kind], str]] = {
    (19, "request"): "topics",  # CreateTopics
    (19, "response"): "topics",
    (32, "response"): "results",  # DescribeConfigs
    (33, "request"): "resources",  # AlterConfigs
    (44, "request"): "resources",  # IncrementalAlterConfigs
}
"""Where names of configs stand beside their values: the array whose elements have `configs`."""

SECRET_MESSAGE_FIELDS: Final[dict[str, frozenset[str]]] = {
    "UserScramCredentialRecord": frozenset({"salt", "storedKey", "serverKey"}),
}
"""Fields that are secret in messages that are no API."""

# The configs of type PASSWORD in Kafka 4.4 (SslConfigs, SaslConfigs, DelegationTokenManagerConfigs,
# PasswordEncoderConfigs), whatever listener they are prefixed with, and what plug-ins call theirs.
_SECRET_CONFIG = re.compile(
    r"(password|passphrase|secret|token|credentials?|user\.info|(master|secret|private|api|access)[._]key"
    r"|sasl\.jaas\.config|ssl\.keystore\.(key|certificate\.chain)|ssl\.truststore\.certificates)$",
    re.IGNORECASE,
)


def redact(api_key: int, kind: Kind, value: dict[str, Any]) -> dict[str, Any]:
    """Replace the secrets of a decoded body, whole or partial, by `***` in place; give the body."""
    if api_key == ENVELOPE:
        _redact_envelope(value)
    elif (api_key, kind) in SECRET_FIELDS:
        _redact_fields(value, SECRET_FIELDS[api_key, kind])
    elif (api_key, kind) in CONFIG_APIS:
        _redact_configs(value.get(CONFIG_APIS[api_key, kind]) or [])
    return value


def redact_message(name: str, value: dict[str, Any]) -> dict[str, Any]:
    """Replace the secrets of a decoded message that is no API by `***` in place; give the message."""
    if name in SECRET_MESSAGE_FIELDS:
        _redact_fields(value, SECRET_MESSAGE_FIELDS[name])
    elif name == "ConfigRecord":
        redact_config(value)
    return value


def redact_config(config: dict[str, Any]) -> dict[str, Any]:
    """Replace the value of a secret config, or of a synonym of one, by `***` in place; give the config.

    Null, which says that none is shown, stays.
    """
    if config.get("value") is not None and is_secret_config(config["name"]):
        config["value"] = REDACTED
    return config


def may_hold_secrets(api_key: int) -> bool:
    """Tell whether requests or responses of an API have fields that `redact` may replace."""
    kinds: tuple[Kind, Kind] = ("request", "response")
    return api_key == ENVELOPE or any((api_key, kind) in SECRET_FIELDS.keys() | CONFIG_APIS for kind in kinds)


@lru_cache(maxsize=1024)
def is_secret_config(name: str) -> bool:
    """Tell whether the value of a config is a secret, by its name."""
    return _SECRET_CONFIG.search(name) is not None


def _redact_envelope(value: dict[str, Any]) -> None:
    """Replace the message inside an Envelope (KIP-590), unless its API is known to have no secrets."""
    if value.get("responseData"):
        # A response does not say whose it is.
        value["responseData"] = REDACTED
    if data := value.get("requestData"):
        try:
            secret = may_hold_secrets(read_request_header(b64decode(data)).api_key)
        except ProtocolError:
            secret = True
        if secret:
            value["requestData"] = REDACTED


def _redact_fields(value: Any, names: frozenset[str]) -> None:
    """Replace what is not empty in the fields called `names`, at any depth."""
    if isinstance(value, list):
        for element in value:
            _redact_fields(element, names)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name in names:
                value[name] = REDACTED if inner else inner
            else:
                _redact_fields(inner, names)


def _redact_configs(resources: list[dict[str, Any]]) -> None:
    """Replace the values of secret configs, and of the synonyms that DescribeConfigs gives for them."""
    for resource in resources:
        for config in resource.get("configs") or ():
            redact_config(config)
            for synonym in config.get("synonyms") or ():
                redact_config(synonym)
