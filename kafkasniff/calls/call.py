"""What the calls layer gives: calls, gaps, and what each connection was."""

from dataclasses import dataclass, field
from typing import Any, Literal

from kafkasniff.capture.packets import Arrival
from kafkasniff.protocol.errors import Problem
from kafkasniff.tcp.events import Connection

Outcome = Literal[
    "answered", "no-response-expected", "unanswered", "response-not-captured", "request-not-captured"
]


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


@dataclass(slots=True)
class Body:
    """The decoded content of one frame behind its header."""

    value: dict[str, Any] | None
    """The body when it decoded whole, as Kafka's JSON converter shows it; else None."""
    partial: dict[str, Any] | None = None
    """What there is of a body that did not decode whole."""
    problems: list[Problem] = field(default_factory=list)
