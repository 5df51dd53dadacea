"""What a token says, whatever its mechanism."""

from typing import Any, Final, NamedTuple

from kafkasniff.protocol.secrets.configs import REDACTED

UNKNOWN: Final = "unknown"


class SaslToken(NamedTuple):
    """A token of a login, as far as it can be read without the keys."""

    mechanism: str
    kind: str
    """What it is, e.g. `SCRAM client-first`; `unknown` when it is nothing that the mechanism has."""
    principal: str | None
    """Whom the broker takes the client for if it accepts, e.g. `User:alice`; None where the token does not tell."""
    fields: dict[str, Any]


def unknown_token(mechanism: str, token: bytes) -> SaslToken:
    """Give the token that says nothing but its size."""
    return SaslToken(mechanism, UNKNOWN, None, {"sizeInBytes": len(token)})


def user(name: str) -> str:
    """Give the principal of a user, as DefaultKafkaPrincipalBuilder names it."""
    return f"User:{name}"


def secret(value: str, show_secrets: bool) -> str:
    """Give a secret, or what stands in its place."""
    return value if show_secrets else REDACTED
