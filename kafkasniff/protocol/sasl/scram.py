"""SCRAM (RFC 5802) as Kafka uses it (KIP-84), also with delegation tokens (KIP-48)."""

import re
from typing import Any, Final

from kafkasniff.protocol.primitives import java_text
from kafkasniff.protocol.sasl.token import SaslToken, secret, unknown_token, user

# gs2-header: channel binding, authzid.
_CLIENT_FIRST = re.compile(r"(?P<binding>[ny]|p=[A-Za-z0-9.-]+),(?:a=(?P<authzid>[^,]*))?,(?P<bare>n=.*)", re.DOTALL)

_TOKENAUTH: Final = "tokenauth"
"""Kafka's extension: the user is a delegation token's id (ScramExtensions)."""


def is_client_first(token: bytes) -> bool:
    """Tell whether a first token has the form of SCRAM's, when nothing says what it is."""
    match = _CLIENT_FIRST.fullmatch(java_text(token))
    return match is not None and "r" in _attributes(match["bare"])


def read_scram(mechanism: str, token: bytes, from_client: bool, show_secrets: bool) -> SaslToken:
    """Read a token of SCRAM-SHA-256 or SCRAM-SHA-512; the form tells which of the four it is."""
    text = java_text(token)
    if from_client:
        match = _CLIENT_FIRST.fullmatch(text)
        if match is not None:
            return _client_first(mechanism, token, match)
        return _client_final(mechanism, token, _attributes(text), show_secrets)
    return _from_server(mechanism, token, _attributes(text), show_secrets)


def _attributes(text: str) -> dict[str, str]:
    """Give the values of the attributes; their names are letters, or words for Kafka's extensions."""
    pairs = (part.partition("=") for part in text.split(","))
    return {name: value for name, equals, value in pairs if equals}


def _client_first(mechanism: str, token: bytes, match: re.Match[str]) -> SaslToken:
    attributes = _attributes(match["bare"])
    if "r" not in attributes:
        return unknown_token(mechanism, token)
    username = _unescaped(attributes.pop("n"))
    fields: dict[str, Any] = {
        "channelBinding": match["binding"],
        "authzid": _unescaped(match["authzid"] or ""),
        "username": username,
        "nonce": attributes.pop("r"),
    }
    if attributes:
        fields["extensions"] = attributes
    # With a delegation token the principal is its owner, whom only the broker knows.
    principal = None if attributes.get(_TOKENAUTH) == "true" else user(username)
    return SaslToken(mechanism, "SCRAM client-first", principal, fields)


def _client_final(mechanism: str, token: bytes, attributes: dict[str, str], show_secrets: bool) -> SaslToken:
    if not {"c", "r", "p"} <= attributes.keys():
        return unknown_token(mechanism, token)
    fields = {
        "channelBinding": attributes["c"],
        "nonce": attributes["r"],
        "proof": secret(attributes["p"], show_secrets),
    }
    return SaslToken(mechanism, "SCRAM client-final", None, fields)


def _from_server(mechanism: str, token: bytes, attributes: dict[str, str], show_secrets: bool) -> SaslToken:
    if "e" in attributes:
        return SaslToken(mechanism, "SCRAM server-final", None, {"error": attributes["e"]})
    if "v" in attributes:
        return SaslToken(mechanism, "SCRAM server-final", None, {"verifier": secret(attributes["v"], show_secrets)})
    iterations = attributes.get("i", "")
    if not {"r", "s"} <= attributes.keys() or not re.fullmatch(r"[0-9]{1,10}", iterations):
        return unknown_token(mechanism, token)
    fields = {
        "nonce": attributes["r"],
        # Salt and iterations with a proof are all that guessing the password takes.
        "salt": secret(attributes["s"], show_secrets),
        "iterations": int(iterations),
    }
    return SaslToken(mechanism, "SCRAM server-first", None, fields)


def _unescaped(saslname: str) -> str:
    return saslname.replace("=2C", ",").replace("=3D", "=")
