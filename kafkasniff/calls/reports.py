"""What is said of connections beside their calls: bytes that the capture lacks, and what each connection was."""

from typing import TYPE_CHECKING, Literal

from kafkasniff.capture.packets import Arrival
from kafkasniff.fields import Fields
from kafkasniff.tcp.events import Connection

if TYPE_CHECKING:  # captures without TLS should not wait for it
    from kafkasniff.tcp.tls.description import TlsDescription


class Gap(Fields):
    """Bytes that the capture lacks."""

    __slots__ = ("acknowledged", "arrival", "client", "connection", "direction", "length", "server")

    def __init__(
        self,
        connection: Connection,
        client: str,
        server: str,
        direction: Literal["request", "response"] | None,
        length: int | None,
        arrival: Arrival,
        acknowledged: bool = True,
    ) -> None:
        """Take where it is."""
        self.connection = connection
        self.client = client
        self.server = server
        self.direction = direction
        """None while it is not known which side is the client."""
        self.length = length
        self.arrival = arrival
        self.acknowledged = acknowledged
        """Whether the receiver has them, so that it is the capture that lost them."""


class ConnectionReport(Fields):
    """What a connection was, given when it ends."""

    __slots__ = ("calls", "client", "connection", "evidence", "last", "protocol", "response_start", "server", "tls")

    def __init__(
        self,
        connection: Connection,
        client: str,
        server: str,
        protocol: str,
        evidence: str,
        calls: int,
        last: Arrival,
        response_start: bytes = b"",
        tls: "TlsDescription | None" = None,
    ) -> None:
        """Take what was found."""
        self.connection = connection
        self.client = client
        self.server = server
        self.protocol = protocol
        """`kafka`, `tls`, `http`, `ssh`, …, `unknown`, or `empty` when no data was seen."""
        self.evidence = evidence
        """Why we think so, one sentence."""
        self.calls = calls
        self.last = last
        self.response_start = response_start
        """The first bytes (8 at most) that were seen of what the server sent."""
        self.tls = tls
        """What is known of the TLS around it."""

    def __repr__(self) -> str:
        """Give it in a line."""
        return f"ConnectionReport({self.client} to {self.server}, {self.protocol}, calls={self.calls})"
