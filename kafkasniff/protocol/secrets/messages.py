"""Replace secrets in decoded messages: SASL tokens, delegation-token HMACs, SCRAM credentials, passwords in configs."""

import re
from base64 import b64decode
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from kafkasniff.protocol.api_keys import (
    ALTER_CONFIGS,
    ALTER_USER_SCRAM_CREDENTIALS,
    CREATE_DELEGATION_TOKEN,
    CREATE_TOPICS,
    DESCRIBE_CONFIGS,
    DESCRIBE_DELEGATION_TOKEN,
    ENVELOPE,
    EXPIRE_DELEGATION_TOKEN,
    FETCH_SNAPSHOT,
    INCREMENTAL_ALTER_CONFIGS,
    RENEW_DELEGATION_TOKEN,
    SASL_AUTHENTICATE,
    STREAMS_GROUP_DESCRIBE,
    STREAMS_GROUP_HEARTBEAT,
)
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.fields import Field, Kind
from kafkasniff.protocol.headers import read_request_header
from kafkasniff.protocol.secrets.configs import REDACTED, is_secret_config, mask_secrets

SECRET_FIELDS: Final[dict[tuple[int, Kind], frozenset[str]]] = {
    (SASL_AUTHENTICATE, "request"): frozenset({"authBytes"}),
    (SASL_AUTHENTICATE, "response"): frozenset({"authBytes"}),
    (CREATE_DELEGATION_TOKEN, "response"): frozenset({"hmac"}),
    (RENEW_DELEGATION_TOKEN, "request"): frozenset({"hmac"}),
    (EXPIRE_DELEGATION_TOKEN, "request"): frozenset({"hmac"}),
    (DESCRIBE_DELEGATION_TOKEN, "response"): frozenset({"hmac"}),
    (ALTER_USER_SCRAM_CREDENTIALS, "request"): frozenset({"salt", "saltedPassword"}),
}
"""Fields that are secret, by API and side."""

CONFIG_APIS: Final[set[tuple[int, Kind]]] = {
    (CREATE_TOPICS, "request"),
    (CREATE_TOPICS, "response"),
    (DESCRIBE_CONFIGS, "response"),
    (ALTER_CONFIGS, "request"),
    (INCREMENTAL_ALTER_CONFIGS, "request"),
    (STREAMS_GROUP_HEARTBEAT, "request"),
    (STREAMS_GROUP_DESCRIBE, "response"),
}
"""Bodies in which names of configs stand beside their values, by API and side."""

CONFIG_ARRAYS: Final = frozenset({"configs", "synonyms", "topicConfigs", "lastAssignmentConfigs"})
"""Arrays whose elements are configs, in these bodies and in messages that are no API."""

_SECRET_NAME: Final = re.compile("password|secret|token|hmac|salt|credential|privatekey|authbytes", re.IGNORECASE)
"""Names of fields in definitions that a user gave, of which too many are hidden rather than one too few."""

SECRET_MESSAGE_FIELDS: Final[dict[str, frozenset[str]]] = {
    "UserScramCredentialRecord": frozenset({"salt", "storedKey", "serverKey"}),
}
"""Fields that are secret in messages that are no API."""

CONFIG_MESSAGES: Final = frozenset({"StreamsGroupMetadataValue", "StreamsGroupTopologyValue"})
"""Messages that are no API and have `CONFIG_ARRAYS`."""


def expect_secrets(api_key: int, kind: Kind, fields: Iterable[Field]) -> None:
    """Take for secret, by their names, fields of a definition that a user gave."""
    for field in fields:
        if field.name in CONFIG_ARRAYS and {"name", "value"} <= {member.name for member in field.fields}:
            CONFIG_APIS.add((api_key, kind))
        elif field.element_type in ("string", "bytes") and _SECRET_NAME.search(field.name):
            SECRET_FIELDS[api_key, kind] = SECRET_FIELDS.get((api_key, kind), frozenset()) | {field.name}


def redact(api_key: int, kind: Kind, value: dict[str, Any]) -> dict[str, Any]:
    """Replace the secrets of a decoded body, whole or partial, by `***` in place; give the body."""
    if api_key == ENVELOPE:
        _redact_envelope(value)
    if (api_key, kind) in SECRET_FIELDS:
        _redact_fields(value, SECRET_FIELDS[api_key, kind])
    if (api_key, kind) in CONFIG_APIS:
        _redact_configs(value)
    return value


def redact_message(name: str, value: dict[str, Any]) -> dict[str, Any]:
    """Replace the secrets of a decoded message that is no API by `***` in place; give the message."""
    if name in SECRET_MESSAGE_FIELDS:
        _redact_fields(value, SECRET_MESSAGE_FIELDS[name])
    elif name == "ConfigRecord":
        redact_config(value)
    elif name in CONFIG_MESSAGES:
        _redact_configs(value)
    return value


def redact_damaged(value: Any) -> None:
    """Replace all texts by `***` in place in what there is of a message that was seen whole and does not decode.

    Where it is damaged, or of another layout than its version says, a secret may stand in any field.
    """
    members = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for name, inner in members:
        if isinstance(inner, str):
            value[name] = REDACTED if inner else inner
        else:
            redact_damaged(inner)


def redact_config(config: dict[str, Any]) -> dict[str, Any]:
    """Replace the value of a secret config, or the secrets inside another's, by `***` in place; give the config.

    Null, which says that none is shown, stays.
    """
    value = config.get("value")
    if value:
        # Streams names it `key`; in a partial body either is there, as it stands before the value.
        name = config.get("name", config.get("key"))
        secret = name is None or is_secret_config(name) or config.get("isSensitive", False)
        config["value"] = REDACTED if secret else mask_secrets(value)
    return config


def may_hold_secrets_message(name: str) -> bool:
    """Tell whether a message that is no API has fields that `redact_message` may replace."""
    return name in SECRET_MESSAGE_FIELDS or name == "ConfigRecord" or name in CONFIG_MESSAGES


@cache
def may_hold_secrets(api_key: int) -> bool:
    """Tell whether requests or responses of an API have fields that `redact` may replace, or may have them.

    That holds for all APIs that are not known, such as those of vendors.
    """
    kinds: tuple[Kind, Kind] = ("request", "response")
    return (
        # Credentials and configs of the metadata log stand in the records of snapshots.
        api_key in (ENVELOPE, FETCH_SNAPSHOT)
        or api_key not in APIS
        or any((api_key, kind) in SECRET_FIELDS.keys() | CONFIG_APIS for kind in kinds)
    )


def is_redacted(value: Any) -> bool:
    """Tell whether secrets were replaced somewhere in a decoded value."""
    if isinstance(value, str):
        return REDACTED in value
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return False
    return any(is_redacted(inner) for inner in value)


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


def _redact_configs(value: Any) -> None:
    """Replace the secrets of configs at any depth."""
    if isinstance(value, list):
        for element in value:
            _redact_configs(element)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name in CONFIG_ARRAYS:
                for config in inner or ():
                    redact_config(config)
            _redact_configs(inner)
