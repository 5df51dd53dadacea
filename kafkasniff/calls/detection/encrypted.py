"""A connection inside TLS: decrypted where the key log allows, and then judged like any other."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kafkasniff.calls.call import Call
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.calls.streams import KafkaStreams
from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import StreamConflict, StreamData, StreamGap
from kafkasniff.tcp.tls.records import APPLICATION_DATA, CHANGE_CIPHER_SPEC

if TYPE_CHECKING:  # captures without TLS should not wait for it
    from kafkasniff.tcp.tls.stream import TlsStream

SECURITY_PROTOCOLS = {"PLAINTEXT": "SSL", "SASL_PLAINTEXT": "SASL_SSL"}
_PROTECTED = (bytes([CHANGE_CIPHER_SPEC]), bytes([APPLICATION_DATA]))
"""What a record begins with that is protected, or stands before one that is (RFC 8446, 5 and D.4)."""
OPENING_PACKETS = 32
"""Packets of a handshake that are noted at most; real ones have about five with data."""


class EncryptedConversation:
    """Stands where a `Conversation` does, and gives it the data inside."""

    __slots__ = (
        "_certificate",
        "_client",
        "_conversation",
        "_keep_packets",
        "_opening",
        "_protected",
        "_tls",
        "_who",
    )

    def __init__(
        self, conversation: Conversation, tls: "TlsStream", keep_packets: bool, before: Iterable[Arrival] = ()
    ) -> None:
        """Decrypt with `tls` what `conversation` is to judge.

        With `keep_packets`, the packets of each request also name those without which it cannot be decrypted, and
        those `before` TLS began.
        """
        self._conversation = conversation
        self._tls = tls
        self._keep_packets = keep_packets
        self._opening: list[Arrival] = [*before] if keep_packets else []
        self._certificate: bytes | None = None
        self._who: str | None = None
        """The principal of the client's certificate."""
        self._client: int | None = None
        self._protected: list[int] = []
        """Bytes of the client's and of the server's since the client first sent a protected record."""

    @property
    def kafka(self) -> KafkaStreams | None:
        """Give the Kafka inside, None where there is none or it cannot be seen."""
        return self._conversation.kafka

    @property
    def protocol(self) -> str | None:
        """Give the protocol inside, None where nothing was sent there, `tls` where it cannot be seen."""
        known = self._tls.description
        inside = self._conversation.protocol
        return inside if known.decrypted and (inside is not None or known.failure is None) else "tls"

    def take(self, event: StreamData | StreamGap | StreamConflict) -> list[Item]:
        """Take encrypted bytes or a gap; give what ended with them."""
        if isinstance(event, StreamConflict):
            # Other bytes under the same key stream would not decrypt; the connection's report counts them.
            return []
        if isinstance(event, StreamData):
            self._count(event)
        if self._keep_packets and not self._tls.description.decrypted and len(self._opening) < OPENING_PACKETS:
            self._opening.append(event.arrival)
        return self._pass_on(self._tls.take(event))

    def end(self, arrival: Arrival, until: int = 0) -> list[Item]:
        """Give all that is left when the connection ends, or the capture at `until`, in ns since 1970."""
        found = self._pass_on(self._tls.end())
        return [*found, *self._secured(self._conversation.end(arrival, until))]

    def tick(self, now: int) -> list[Item]:
        """Give what waited for secrets that came, and the calls that waited for too long at `now`, in ns since 1970."""
        found = self._pass_on(self._tls.take_held())
        return [*found, *self._secured(self._conversation.tick(now))]

    def report(self, arrival: Arrival) -> ConnectionReport:
        """Say what the connection was."""
        report = self._conversation.report(arrival)
        known = self._tls.description
        if self._protected:
            known.protected = self._protected[0], self._protected[1]
        evidence = f"begins with a TLS handshake ({known})"
        if known.decrypted and report.protocol != "empty":
            evidence += f"; inside, {report.evidence}"
        else:
            report.protocol = "tls"
        report.evidence, report.tls = evidence, known
        return report

    def _count(self, event: StreamData) -> None:
        """Count what is sent behind the hellos: an alert alone there is shorter than any Finished message."""
        if self._client is None:
            self._client = event.direction
        elif not self._protected and event.direction == self._client and event.data[:1] in _PROTECTED:
            self._protected = [0, 0]
        if self._protected:
            self._protected[event.direction != self._client] += len(event.data)

    def _pass_on(self, events: list[StreamData | StreamGap]) -> list[Item]:
        found: list[Item] = []
        for event in events:
            found += self._conversation.take(event)
        return self._secured(found)

    def _secured(self, items: list[Item]) -> list[Item]:
        for item in items:
            if isinstance(item, Call):
                if item.security_protocol == "PLAINTEXT":
                    # The client's certificate says who it is, where it has one.
                    item.principal = self._principal()
                item.security_protocol = SECURITY_PROTOCOLS[item.security_protocol]
                if self._opening and item.request is not None:
                    item.request.packets = (*self._opening, *item.request.packets)
        return items

    def _principal(self) -> str | None:
        certificate = self._tls.description.client_certificate
        if certificate is not None and certificate is not self._certificate:
            from kafkasniff.tcp.tls.principal import principal_of

            self._certificate = certificate
            principal = principal_of(certificate)
            self._who = None if principal is None else short_name(principal)
        return self._who
