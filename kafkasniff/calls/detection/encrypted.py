"""A connection inside TLS: decrypted where the key log allows, and then judged like any other."""

from dataclasses import replace
from typing import TYPE_CHECKING

from kafkasniff.calls.call import Call, ConnectionReport
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.items import Item
from kafkasniff.calls.streams import KafkaStreams
from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import StreamConflict, StreamData, StreamGap

if TYPE_CHECKING:  # captures without TLS should not wait for it
    from kafkasniff.tcp.tls.stream import TlsStream

SECURITY_PROTOCOLS = {"PLAINTEXT": "SSL", "SASL_PLAINTEXT": "SASL_SSL"}
OPENING_PACKETS = 32
"""Packets of a handshake that are noted at most; real ones have about five with data."""


class EncryptedConversation:
    """Stands where a `Conversation` does, and gives it the data inside."""

    __slots__ = ("_conversation", "_keep_packets", "_opening", "_tls")

    def __init__(self, conversation: Conversation, tls: "TlsStream", keep_packets: bool) -> None:
        """Decrypt with `tls` what `conversation` is to judge.

        With `keep_packets`, the packets of each request also name those without which it cannot be decrypted.
        """
        self._conversation = conversation
        self._tls = tls
        self._keep_packets = keep_packets
        self._opening: list[Arrival] = []

    @property
    def kafka(self) -> KafkaStreams | None:
        """Give the Kafka inside, None where there is none or it cannot be seen."""
        return self._conversation.kafka

    def take(self, event: StreamData | StreamGap | StreamConflict) -> list[Item]:
        """Take encrypted bytes or a gap; give what ended with them."""
        if isinstance(event, StreamConflict):
            # Other bytes under the same key stream would not decrypt; the connection's report counts them.
            return []
        if self._keep_packets and not self._tls.description.decrypted and len(self._opening) < OPENING_PACKETS:
            self._opening.append(event.arrival)
        return self._pass_on(self._tls.take(event))

    def end(self, arrival: Arrival) -> list[Item]:
        """Give all that is left when the connection ends."""
        found = self._pass_on(self._tls.end())
        return [*found, *self._secured(self._conversation.end(arrival))]

    def tick(self, now: int) -> list[Item]:
        """Give what waited for secrets that came, and the calls that waited for too long at `now`, in ns since 1970."""
        found = self._pass_on(self._tls.take_held())
        return [*found, *self._secured(self._conversation.tick(now))]

    def report(self, arrival: Arrival) -> ConnectionReport:
        """Say what the connection was."""
        report = self._conversation.report(arrival)
        known = self._tls.description
        evidence = f"begins with a TLS handshake ({known})"
        if known.decrypted and report.protocol != "empty":
            return replace(report, evidence=f"{evidence}; inside, {report.evidence}", tls=known)
        return replace(report, protocol="tls", evidence=evidence, tls=known)

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
                    item.principal = None
                item.security_protocol = SECURITY_PROTOCOLS[item.security_protocol]
                if self._opening and item.request is not None:
                    item.request.packets = (*self._opening, *item.request.packets)
        return items
