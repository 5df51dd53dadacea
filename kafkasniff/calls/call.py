"""What the calls layer gives: calls, gaps, and what each connection was."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.tcp.events import Connection

Outcome = Literal[
    "answered", "no-response-expected", "unanswered", "response-not-captured", "request-not-captured"
]

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


class FieldError(NamedTuple):
    """A non-zero error code in a response (or, between brokers, in a request)."""

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
    correlation_id: int
    outcome: Outcome
    ended: Arrival
    """The packet that ended the call: the answer's last, or the event that ruled an answer out."""
    pending_ns: int | None = None
    """For `response-not-captured`: time from the request's last byte to where the capture stopped knowing."""
    security_protocol: str = "PLAINTEXT"
    principal: str | None = None
    software_name: str | None = None
    """From the connection's ApiVersions request (KIP-511)."""
    software_version: str | None = None
    show_secrets: bool = False
    frame_problems: list[Problem] = field(default_factory=list)
    """Problems of framing and pairing, known before any body is decoded."""

    # Lazily computed: request_body, response_body (DecodedBody | None), errors (list[FieldError]),
    # batches (list[dict]), decoded (list[dict]), topics (dict[str, str]), problems (list[Problem]),
    # response_api_version (int | None), total_ns, response_delay_ns (int | None), time (Arrival).
