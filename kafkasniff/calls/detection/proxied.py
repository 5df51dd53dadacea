"""A connection that begins with a PROXY header: what it is, the bytes behind the header tell."""

from typing import TYPE_CHECKING

from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.detection.encrypted import EncryptedConversation
from kafkasniff.calls.detection.recognition import proxy_header_length
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.calls.streams import KafkaStreams
from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import StreamConflict, StreamData, StreamGap
from kafkasniff.tcp.tls.beginning import begins_tls

if TYPE_CHECKING:  # captures without TLS should not wait for it
    from kafkasniff.tcp.tls.context import TlsContext

_MOST_HELD = 64
"""Events that wait for the end of the header; it mostly comes in one segment, before anything else."""


class ProxiedConversation:
    """Holds what comes until the header has ended, then hands it on: without the header to what reads TLS."""

    __slots__ = ("_direction", "_held", "_inside", "_keep_packets", "_start", "_tls")

    def __init__(self, plain: Conversation, tls: "TlsContext", direction: int, keep_packets: bool) -> None:
        """Take the conversation that judges what is in the clear; `direction` sends the header."""
        self._inside: Conversation | EncryptedConversation = plain
        self._tls = tls
        self._direction = direction
        self._keep_packets = keep_packets
        self._start = b""
        self._held: list[StreamData | StreamGap | StreamConflict] | None = []
        """None when it is decided what stands behind the header."""

    @property
    def kafka(self) -> KafkaStreams | None:
        """Give the Kafka behind the header, None where there is none or it cannot be seen."""
        return self._inside.kafka

    @property
    def protocol(self) -> str | None:
        """Give the protocol behind the header."""
        return self._inside.protocol

    def take(self, event: StreamData | StreamGap | StreamConflict) -> list[Item]:
        """Take bytes or a gap; give what ended with them."""
        if self._held is None:
            return [*self._inside.take(event)]
        self._held.append(event)
        if isinstance(event, StreamGap) and event.direction == self._direction:
            return self._decide(0)
        if isinstance(event, StreamData) and event.direction == self._direction:
            self._start += event.data
            length = proxy_header_length(self._start)
            if length is None or 0 < length < len(self._start):
                return self._decide(length or 0)
        return self._decide(0) if len(self._held) > _MOST_HELD else []

    def end(self, arrival: Arrival, until: int = 0) -> list[Item]:
        """Give all that is left when the connection ends, or the capture at `until`, in ns since 1970."""
        return [*self._decide(0), *self._inside.end(arrival, until)]

    def tick(self, now: int) -> list[Item]:
        """Give what waited for secrets that came, and the calls that waited for too long at `now`, in ns since 1970."""
        return self._inside.tick(now)

    def report(self, arrival: Arrival) -> ConnectionReport:
        """Say what the connection was."""
        return self._inside.report(arrival)

    def _decide(self, header: int) -> list[Item]:
        """Hand on what was held; `header` bytes are that of a header before TLS, as far as TLS begins there."""
        held, self._held = self._held or [], None
        if header and begins_tls(self._start[header:]):
            # Captures without TLS should not wait for it.
            from kafkasniff.tcp.tls.stream import TlsStream

            assert isinstance(self._inside, Conversation)
            tls = TlsStream(held[0].connection, self._tls)
            before = [each.arrival for each in held if isinstance(each, StreamData)]
            self._inside = EncryptedConversation(self._inside, tls, self._keep_packets, before)
        else:
            header = 0
        self._start = b""
        found: list[Item] = []
        for event in held:
            if not header or not isinstance(event, StreamData) or event.direction != self._direction:
                found += self._inside.take(event)
            elif header < len(event.data):
                found += self._inside.take(event.with_data(event.data[header:]))
                header = 0
            else:
                header -= len(event.data)
        return found
