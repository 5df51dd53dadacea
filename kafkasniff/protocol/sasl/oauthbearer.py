"""OAUTHBEARER (RFC 7628; KIP-255, KIP-342): a bearer token, of which a JWT's claims are readable (RFC 7519)."""

import binascii
import json
import re
from base64 import urlsafe_b64decode
from typing import Any, Final

from kafkasniff.protocol.primitives import java_text
from kafkasniff.protocol.sasl.token import SaslToken, secret, unknown_token, user
from kafkasniff.protocol.secrets.configs import is_secret_config

NAME: Final = "OAUTHBEARER"

# gs2-header, then key=value pairs, each ended by ^A, and one more ^A.
_CLIENT_TOKEN = re.compile(r"[nyp][^,]*,(?:a=(?P<authzid>[^,]*))?,\x01(?P<pairs>.*)\x01", re.DOTALL)
_BEARER = re.compile(r"bearer +(?P<token>[^ ]+) *", re.IGNORECASE)

_AFTER_ERROR = b"\x01"
"""What the client answers to the server's error (RFC 7628, 3.2.3)."""

_MAX_DEPTH = 8
_MAX_INT_DIGITS = 18


def is_oauthbearer(token: bytes) -> bool:
    """Tell whether a first token has OAUTHBEARER's form, when nothing says what it is."""
    match = _CLIENT_TOKEN.fullmatch(java_text(token))
    return match is not None and "auth" in _pairs(match["pairs"])


def read_oauthbearer(token: bytes, from_client: bool, show_secrets: bool) -> SaslToken:
    """Read a token of OAUTHBEARER."""
    if not from_client:
        error = json_object(token)
        return SaslToken(NAME, "OAUTHBEARER error", None, error) if error else unknown_token(NAME, token)
    if token == _AFTER_ERROR:
        return SaslToken(NAME, "OAUTHBEARER end after error", None, {})
    match = _CLIENT_TOKEN.fullmatch(java_text(token))
    pairs = _pairs(match["pairs"]) if match is not None else {}
    bearer = _BEARER.fullmatch(pairs.pop("auth", ""))
    if match is None or bearer is None:
        return unknown_token(NAME, token)
    header, claims = _read_jwt(bearer["token"])
    fields: dict[str, Any] = {"authzid": match["authzid"] or "", "token": secret(bearer["token"], show_secrets)}
    if claims is not None:
        fields |= {"header": header, "claims": claims}
    if pairs:
        fields["extensions"] = {
            name: secret(value, show_secrets) if is_secret_config(name) else value for name, value in pairs.items()
        }
    return SaslToken(NAME, "OAUTHBEARER token", _subject(claims), fields)


def _pairs(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split("\x01"))
    return {key: value for key, equals, value in pairs if equals}


def _subject(claims: dict[str, Any] | None) -> str | None:
    """Give the principal, by the claim that is Kafka's default (sasl.oauthbearer.sub.claim.name)."""
    subject = claims.get("sub") if claims is not None else None
    return user(subject) if isinstance(subject, str) else None


def _read_jwt(token: str) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Give header and claims of a JWT, None for what is none: bearer tokens may be anything (RFC 6750)."""
    parts = token.split(".")
    if len(parts) != 3:
        return None, None
    header, claims = (json_object(_from_base64url(part)) for part in parts[:2])
    return header, claims


def _from_base64url(text: str) -> bytes:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""


def json_object(raw: bytes) -> dict[str, Any] | None:
    """Give a JSON object that can be printed again: not deep, in Unicode, its numbers in range; None for all else."""
    try:
        value = json.loads(raw, parse_int=_bounded_int, parse_constant=str)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _is_shallow(value, _MAX_DEPTH) else None


def _bounded_int(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else float(digits)


def _is_shallow(value: Any, levels: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return not isinstance(value, list) or (levels > 0 and all(_is_shallow(inner, levels - 1) for inner in value))
