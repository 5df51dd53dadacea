# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Who the client of a connection is: its software, how it logs in, and as whom."""

from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Side
from kafkasniff.calls.enrichment.authentication import Authentication
from kafkasniff.calls.enrichment.learning import take_login
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.resync.evidence import request_header
from kafkasniff.protocol.api_keys import API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafkasniff.protocol.bodies import decode_body
from kafkasniff.protocol.headers import RequestHeader

if not cython.compiled:
    from kafkasniff.octets import part

if TYPE_CHECKING:  # few connections have logins
    from kafkasniff.protocol.sasl.token import SaslToken

RAW_TOKEN_LIMIT = 64 << 10
_REMEMBERED_BODY = 256
"""Bytes of a body of ApiVersions that is remembered with what it says."""
_MOST_BODIES = 1024
_BODIES: dict[bytes, tuple[int, tuple[str | None, str | None] | None]] = {}
"""Such bodies with their version, and what they say."""
_ILLEGAL_SASL_STATE = b"\x00\x22"
"""34, by which a listener without SASL refuses a handshake (KafkaApis.handleSaslHandshakeRequest)."""
LOGIN_APIS = frozenset({SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE})
"""APIs whose messages tell who the client is."""


class Identity:
    """Follows what the frames and calls of a connection say of its client."""

    __slots__ = ("_authentication", "_begun", "_offered", "raw_tokens", "security", "settled", "software")

    def __init__(self, show_secrets: bool, begun: bool, raw_sasl: bool) -> None:
        """Know nobody; `begun` when the first byte of the client was seen, `raw_sasl` when it was that of a token."""
        self._authentication = Authentication(show_secrets)
        self._begun = begun
        self._offered = False
        self.raw_tokens = raw_sasl
        """Whether SASL tokens come without Kafka's headers."""
        self.security = "SASL_PLAINTEXT" if raw_sasl else "PLAINTEXT"
        self.software: tuple[str | None, str | None] = (None, None)
        """Name and version, as ApiVersions says them."""
        self.settled = False
        """Whether answers have nothing more to tell of who the client is."""

    def who(self) -> str | None:
        """Give who logged in, as the broker names it; None when not known."""
        return self._authentication.principal

    def is_logging_in(self) -> bool:
        """Tell whether the next frames may be SASL tokens without Kafka's headers."""
        return self.raw_tokens or self._offered

    def sends_token(self, frame: Frame) -> bool:
        """Tell whether a frame of the client is a token without Kafka's headers; a request says that none follows."""
        if not self.is_logging_in():
            return False
        if request_header(frame.size.to_bytes(4, "big", signed=True) + frame.data[:1100]) is None:
            return True
        self.raw_tokens = self._offered = False
        return False

    def take_token(self, frame: Frame, side: Side) -> "SaslToken | None":
        """Take a frame as a token without Kafka's headers; None when it is too large for one."""
        if frame.size > RAW_TOKEN_LIMIT:
            return None
        self.raw_tokens = True
        self.security = "SASL_PLAINTEXT"
        self.settled = False
        return self._authentication.read_raw(side == "request", frame.data)

    def take_request(self, header: RequestHeader, frame: Frame) -> None:
        """Take a request."""
        if header.api_key == API_VERSIONS and header.api_version >= 3 and frame.whole:
            body = part(frame.data, header.end, len(frame.data))
            self.software = _software(header.api_version, body) or self.software
        elif header.api_key == SASL_HANDSHAKE:
            self.security = "SASL_PLAINTEXT"
            self._authentication.begin(header, frame.data)
            # Without seeing the answer: raw tokens follow unless the broker refused (KIP-43).
            self._offered = header.api_version == 0
        elif header.api_key == SASL_AUTHENTICATE:
            self.security = "SASL_PLAINTEXT"

    def settle(self, api_key: int, requests_complete: bool) -> None:
        """Take that a call was answered, which may tell that the client is logged in, or need not be."""
        if not self.settled:
            in_clear = self._begun and self.security == "PLAINTEXT" and requests_complete
            self.settled = self._authentication.settle(api_key, in_clear)

    def take_call(self, call: Call) -> None:
        """Take a call that ended, and note on it what its tokens say."""
        header, response = call.header, call.response
        if header is None:
            return
        if header.api_key == SASL_AUTHENTICATE:
            take_login(self._authentication, call)
        elif header.api_key == SASL_HANDSHAKE and response is not None:
            error = response.data[4:6]
            self.raw_tokens = header.api_version == 0 and error == b"\x00\x00"
            self._offered = False
            if error == _ILLEGAL_SASL_STATE and self.who() is None:
                self.security = call.security_protocol = "PLAINTEXT"


def _software(version: int, body: bytes) -> tuple[str | None, str | None] | None:
    """Give the client's name and version in the body of ApiVersions (KIP-511)."""
    if len(body) > _REMEMBERED_BODY:
        return _read_software(version, body)
    # Few bodies are all that clients send.
    known = _BODIES.get(body)
    if known is not None and known[0] == version:
        return known[1]
    software = _read_software(version, body)
    if len(_BODIES) >= _MOST_BODIES:
        _BODIES.clear()
    _BODIES[body] = version, software
    return software


def _read_software(version: int, body: bytes) -> tuple[str | None, str | None] | None:
    value = decode_body(API_VERSIONS, version, "request", body, 0).value
    if value is None:
        return None
    return short_name(value["clientSoftwareName"]), short_name(value["clientSoftwareVersion"])
