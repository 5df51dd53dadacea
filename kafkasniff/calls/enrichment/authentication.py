# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""The SASL logins of a connection: what their tokens say, and who logged in."""

from base64 import b64decode
from typing import TYPE_CHECKING, Any, Final, Literal

from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.capture.packets import Arrival
from kafkasniff.fields import Fields
from kafkasniff.protocol.api_keys import API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import RequestHeader, read_response_header, response_header_version
from kafkasniff.tcp.events import Connection

if TYPE_CHECKING:  # few connections have logins
    from kafkasniff.protocol.sasl.token import SaslToken


BEFORE_LOGIN: Final = frozenset({SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE})
"""What a broker answers before a login, on listeners with SASL."""

ANONYMOUS: Final = "User:ANONYMOUS"
"""KafkaPrincipal.ANONYMOUS."""

_UNKNOWN_MECHANISM: Final = "unknown"

_LAST_OF_CLIENT: Final = frozenset({"PLAIN credentials", "OAUTHBEARER token", "GSSAPI wrap"})
"""Tokens after which an empty one from the broker says that it accepts."""


class RawToken(Fields):
    """A SASL token without Kafka's headers: behind SaslHandshake v0, or from the first byte on (KIP-43)."""

    __slots__ = ("arrival", "client", "connection", "direction", "server", "size", "token")

    def __init__(
        self,
        connection: Connection,
        client: str,
        server: str,
        direction: Literal["request", "response"],
        size: int,
        arrival: Arrival,
        token: "SaslToken",
    ) -> None:
        """Take a token and where it was seen."""
        self.connection = connection
        self.client = client
        self.server = server
        self.direction = direction
        self.size = size
        """The size prefix's value in bytes."""
        self.arrival = arrival
        """The packet that completed it."""
        self.token = token


class Authentication:
    """Follows the logins of one connection."""

    __slots__ = ("_candidate", "_mechanism", "_raw", "_show_secrets", "principal")

    def __init__(self, show_secrets: bool) -> None:
        """Know nobody; secrets are replaced in what is read of tokens unless `show_secrets`."""
        self._show_secrets = show_secrets
        self._mechanism: str | None = None
        self._candidate: str | None = None
        self._raw = False
        self.principal: str | None = None
        """Who logged in, as the broker names it, e.g. `User:alice`; None when not known."""

    def begin(self, header: RequestHeader, request: bytes) -> None:
        """Take the request of SaslHandshake: a login begins with the mechanism that it names."""
        body = decode_body(SASL_HANDSHAKE, header.api_version, "request", request, header.end).value
        self._mechanism = short_name(body["mechanism"]) if body is not None else None
        self._candidate = None

    def authenticate(self, header: RequestHeader, request: bytes, response: bytes | None) -> tuple[dict[str, Any], ...]:
        """Take a SaslAuthenticate call; give its tokens in the form of the JSON lines."""
        asked = decode_body(SASL_AUTHENTICATE, header.api_version, "request", request, header.end).value
        if asked is None:
            return ()
        sent = self._read(True, b64decode(asked["authBytes"]))
        entries = [_as_decoded("request", sent)]
        answer = self._answer(header.api_version, response) if response is not None else None
        if answer is None:
            return tuple(entries)
        data = b64decode(answer["authBytes"])
        token = self._read(False, data)
        if data:
            entries.append(_as_decoded("response", token))
        if answer["errorCode"]:
            self._candidate = None
        elif "verifier" in token.fields or (not data and sent.kind in _LAST_OF_CLIENT):
            self.principal = self._candidate
        return tuple(entries)

    @staticmethod
    def _answer(version: int, response: bytes) -> dict[str, Any] | None:
        try:
            end = read_response_header(response, response_header_version(SASL_AUTHENTICATE, version))[1]
        except ProtocolError:
            return None
        return decode_body(SASL_AUTHENTICATE, version, "response", response, end).value

    def read_raw(self, from_client: bool, data: bytes) -> "SaslToken":
        """Take a token without Kafka's headers."""
        self._raw = True
        return self._read(from_client, data)

    def settle(self, api_key: int, in_clear: bool) -> bool:
        """Take an answered call: it tells that a login by raw tokens went well, or that none was needed.

        `in_clear`: neither SASL nor TLS was seen on the connection, though all of it was captured. True when there is
        nothing more to learn by such calls.
        """
        if self._raw:
            self.principal, self._raw = self._candidate, False
        elif api_key in BEFORE_LOGIN:
            return False
        elif in_clear:
            self.principal = ANONYMOUS
        return True

    def _read(self, from_client: bool, data: bytes) -> "SaslToken":
        # Captures without a login should not wait for it.
        from kafkasniff.protocol.sasl.tokens import guess_mechanism, read_token

        if from_client and self._mechanism is None:
            self._mechanism = guess_mechanism(data)
        token = read_token(self._mechanism or _UNKNOWN_MECHANISM, from_client, data, show_secrets=self._show_secrets)
        if token.principal is not None:
            self._candidate = short_name(token.principal)
        return token


def _as_decoded(side: Literal["request", "response"], token: "SaslToken") -> dict[str, Any]:
    value = token_value(token)
    return {"where": side, "path": "authBytes", "type": token.kind, "version": None, "value": value}


def token_value(token: "SaslToken") -> dict[str, Any]:
    """Give what a token says in the form of the JSON lines."""
    named = {"principal": token.principal} if token.principal is not None else {}
    return {"saslMechanism": token.mechanism, **named, **token.fields}
