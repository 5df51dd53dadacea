"""What the calls layer gives: calls, gaps, and what each connection was."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from kafkasniff.calls.contents import ENVELOPE, Contents, open_batches, open_envelope
from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import DecodedBody, decode_body, find_errors
from kafkasniff.protocol.error_codes import ERROR_CODES
from kafkasniff.protocol.errors import Problem, ProtocolError
from kafkasniff.protocol.headers import RequestHeader, read_response_header, response_header_version
from kafkasniff.protocol.secrets import redact
from kafkasniff.tcp.events import Connection
from kafkasniff.tcp.tls.description import TlsDescription

Outcome = Literal["answered", "no-response-expected", "unanswered", "response-not-captured", "request-not-captured"]

Side = Literal["request", "response"]


@dataclass(slots=True)
class Frame:
    """A size-prefixed unit of a stream, or what there is of it."""

    size: int
    """The size prefix's value in bytes."""
    data: bytes
    """The content without the size prefix; shorter than `size` when bytes lack or were not kept."""
    first: Arrival
    """The packet with its first byte."""
    last: Arrival
    """The packet whose arrival completed it."""
    stream_offset: int
    """Position of the size prefix in its direction's stream, counted from the first byte seen."""
    problems: list[Problem] = field(default_factory=list)
    packets: tuple[Arrival, ...] = ()
    """All packets that carried bytes of it; empty unless asked for."""

    @property
    def whole(self) -> bool:
        """Tell whether every byte was seen and kept."""
        return len(self.data) == self.size


@dataclass(slots=True)
class Gap:
    """Bytes that the capture lacks."""

    connection: Connection
    client: str
    server: str
    direction: Literal["request", "response"] | None
    """None while it is not known which side is the client."""
    length: int | None
    arrival: Arrival


@dataclass(slots=True)
class ConnectionReport:
    """What a connection was, given when it ends."""

    connection: Connection
    client: str
    server: str
    protocol: str
    """`kafka`, `tls`, `http`, `ssh`, …, `unknown`, or `empty` when no data was seen."""
    evidence: str
    """Why we think so, one sentence."""
    calls: int
    last: Arrival
    response_start: bytes = b""
    """The first bytes (8 at most) that were seen of what the server sent."""
    tls: TlsDescription | None = None
    """What is known of the TLS around it."""


class FieldError(NamedTuple):
    """A non-zero error code in a message."""

    where: Side
    path: str
    code: int
    name: str


@dataclass(slots=True)
class Call:
    """A request with its response. Bodies are decoded when first asked for."""

    connection: Connection
    client: str
    server: str
    request: Frame | None
    response: Frame | None
    header: RequestHeader | None
    """The request's header; None when the request was not captured."""
    outcome: Outcome
    ended: Arrival
    """The packet that ended the call: the answer's last, or the one that ruled an answer out."""
    pending_ns: int | None = None
    """For `response-not-captured`: time from the request's last byte to where the capture stopped knowing."""
    security_protocol: str = "PLAINTEXT"
    principal: str | None = None
    software_name: str | None = None
    """From the connection's ApiVersions request (KIP-511)."""
    software_version: str | None = None
    show_secrets: bool = False
    pairing_problems: list[Problem] = field(default_factory=list)
    """What is wrong with frames and their pairing, known before any body is decoded."""
    _request_body: DecodedBody | None = None
    _response_body: DecodedBody | None = None
    _contents: Contents | None = None
    _errors: list[FieldError] | None = None

    @property
    def correlation_id(self) -> int:
        """Give the correlation id."""
        if self.header is not None:
            return self.header.correlation_id
        assert self.response is not None
        return int.from_bytes(self.response.data[:4], "big", signed=True)

    @property
    def api_key(self) -> int | None:
        """Give the API key; None when the request was not captured."""
        return self.header.api_key if self.header else None

    @property
    def api_version(self) -> int | None:
        """Give the request's version; None when the request was not captured."""
        return self.header.api_version if self.header else None

    @property
    def api_name(self) -> str | None:
        """Give Kafka's name of the API, e.g. `LIST_OFFSETS`; None when the request was not captured."""
        if self.header is None:
            return None
        return APIS[key].name if (key := self.header.api_key) in APIS else f"UNKNOWN({key})"

    @property
    def client_id(self) -> str | None:
        """Give the client id; None when it is null or the request was not captured."""
        return self.header.client_id if self.header else None

    @property
    def time(self) -> Arrival:
        """Give the packet that began the call: the request's first, else the response's."""
        frame = self.request or self.response
        assert frame is not None
        return frame.first

    @property
    def total_ns(self) -> int | None:
        """Give the time from the request's first byte to the response's last."""
        if self.request is None or self.response is None:
            return None
        return self.response.last.time - self.request.first.time

    @property
    def response_delay_ns(self) -> int | None:
        """Give the time from the request's last byte to the response's first: the broker's share."""
        if self.request is None or self.response is None:
            return None
        return self.response.first.time - self.request.last.time

    @property
    def request_body(self) -> DecodedBody | None:
        """Decode the request's body; None when the request was not captured."""
        if self._request_body is None and self.request is not None and self.header is not None:
            self._request_body = self._decode(self.request, "request", self.header.end)
        return self._request_body

    @property
    def response_body(self) -> DecodedBody | None:
        """Decode the response's body; None when there is none, or its request and so its layout is not known."""
        if self._response_body is None and self.response is not None and self.header is not None:
            version = response_header_version(self.header.api_key, self.header.api_version)
            try:
                end = read_response_header(self.response.data, version)[1]
            except ProtocolError as error:
                problem = (error.offset, error.path, error.message)
                self._response_body = DecodedBody(self.header.api_version, None, problems=[problem])
            else:
                self._response_body = self._decode(self.response, "response", end)
        return self._response_body

    def _decode(self, frame: Frame, side: Side, offset: int) -> DecodedBody:
        assert self.header is not None
        key = self.header.api_key
        body = decode_body(key, self.header.api_version, side, frame.data, offset)
        if not frame.whole:
            body.partial = body.value or body.partial
            body.value = None
            message = f"{len(frame.data)} of the message's {frame.size} bytes are there"
            body.problems.append((len(frame.data), "", message))
        if not self.show_secrets:
            for tree in (body.value, body.partial):
                if tree is not None:
                    redact(key, side, tree)
        return body

    def _bodies(self) -> Iterator[tuple[Side, int, Frame, DecodedBody]]:
        """Give side, API key, frame and body of the request and the response, as far as there."""
        if self.header is not None:
            if self.request is not None and self.request_body is not None:
                yield "request", self.header.api_key, self.request, self.request_body
            if self.response is not None and self.response_body is not None:
                yield "response", self.header.api_key, self.response, self.response_body

    def _open(self) -> Contents:
        if self._contents is None:
            self._contents = contents = Contents()
            for side, _, frame, body in self._bodies():
                contents.problems += [Problem(side, offset, path, message) for offset, path, message in body.problems]
                open_batches(side, frame.data, body, contents)
            if self.header is not None and self.header.api_key == ENVELOPE and self.request is not None:
                answer = self.response.data if self.response is not None else None
                open_envelope(self.header, self.request.data, answer, self.show_secrets, contents)
        return self._contents

    @property
    def response_api_version(self) -> int | None:
        """Give the version of the response's layout: the request's, or 0 for ApiVersions refused by version."""
        body = self.response_body
        return body.version if body is not None else None

    @property
    def errors(self) -> list[FieldError]:
        """Give every non-zero error code with its path."""
        if self._errors is None:
            self._errors = [
                FieldError(side, path, code, _error_name(code))
                for side, key, _, body in self._bodies()
                if body.value is not None
                for path, code in find_errors(key, body.version, side, body.value)
            ]
        return self._errors

    @property
    def batches(self) -> list[dict[str, Any]]:
        """Give the record batches' headers in the form of the JSON lines."""
        return self._open().batches

    @property
    def decoded(self) -> list[dict[str, Any]]:
        """Give the messages inside the messages in the form of the JSON lines."""
        return self._open().decoded

    @property
    def topics(self) -> dict[str, str]:
        """Give the names of the topic ids that the call mentions, as far as known."""
        return {}

    @property
    def problems(self) -> list[Problem]:
        """Give all that is wrong with the call's messages."""
        return [*self.pairing_problems, *self._open().problems]


def _error_name(code: int) -> str:
    known = ERROR_CODES.get(code)
    return known.name if known is not None else f"UNKNOWN({code})"
