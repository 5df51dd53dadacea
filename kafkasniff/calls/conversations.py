# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""The conversations of all open connections: what packets bring goes to them, and what ends with it comes out."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.counts import Counts
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.detection.recognition import begins_with_proxy_header
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.streams import KafkaStreams
from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.events import (
    Connection,
    ConnectionEnd,
    Receiver,
    StreamConflict,
    StreamData,
    StreamEvent,
    StreamGap,
)
from kafkasniff.tcp.tls.beginning import begins_tls
from kafkasniff.tcp.tls.context import TlsContext

if not cython.compiled:
    from kafkasniff.tcp.events import new_stream_data

if TYPE_CHECKING:  # captures without TLS and PROXY headers should not wait for them
    from kafkasniff.calls.detection.encrypted import EncryptedConversation
    from kafkasniff.calls.detection.proxied import ProxiedConversation

    _Conversation = Conversation | EncryptedConversation | ProxiedConversation

_MOST_PORTS = 1_000
"""Ports of servers that are told apart where connections are not Kafka."""


class Conversations(Receiver):
    """Begins a conversation with the first bytes of a connection, and ends it with that."""

    __slots__ = (
        "_budget",
        "_counts",
        "_items",
        "_limits",
        "_open",
        "_options",
        "_reports",
        "_tls",
        "until",
    )

    def __init__(
        self, limits: CallLimits, options: CallOptions, budget: Budget, tls: TlsContext, counts: Counts, reports: bool
    ) -> None:
        """Begin with none. With `reports`, say of every connection what it was when it ends."""
        super().__init__()
        self._limits = limits
        self._options = options
        self._budget = budget
        self._tls = tls
        self._counts = counts
        self._reports = reports
        self._open: dict[Connection, _Conversation] = {}
        self._items: list[Item] = []
        """What ended with what is being taken."""
        self.until = 0
        """Until when the capture goes, in ns since 1970, once it has ended."""

    def take(self, events: list[StreamEvent]) -> list[Item]:
        """Take the last events of what was fed; give what ended with all of it."""
        self._take_events(events)
        items, self._items = self._items, []
        return items

    def sweep(self, events: list[StreamEvent], now: int) -> None:
        """Take events, and let every conversation know that all packets up to `now`, in ns since 1970, were fed."""
        self._take_events(events)
        for conversation in self._open.values():
            self._items += conversation.tick(now)

    def in_flight(self) -> tuple[int, int]:
        """Give how many open connections are Kafka, and how many requests wait for their answers on these."""
        streams = [each.kafka for each in self._open.values() if each.kafka is not None]
        return len(streams), sum(each.correlator.in_flight for each in streams)

    def take_segment(self, connection: Connection, direction: int, data: bytes, missing: int, arrival: Arrival) -> None:
        """Take the payload of a segment that comes next in its direction; it lacks its last `missing` bytes."""
        if self.events:
            self._take_events(self.events)
        conversation = connection.conversation
        if type(conversation) is Conversation:
            plain = conversation
            plain.take_segment(direction, data, missing, arrival, self._items)
        else:
            self._take_data(new_stream_data(connection, direction, data, arrival, arrival, ()))
            if missing:
                self._take_other(StreamGap(connection, direction, missing, arrival, cut=True, acknowledged=True))

    def _take_events(self, events: list[StreamEvent]) -> None:
        """Take events, and clear the list."""
        for event in events:
            if type(event) is StreamData:
                self._take_data(event)
            elif type(event) is ConnectionEnd:
                self._items += self._end(event)
            elif type(event) is StreamGap or type(event) is StreamConflict:
                self._take_other(event)
        events.clear()

    def _take_data(self, data: StreamData) -> None:
        conversation = data.connection.conversation
        if conversation is None:
            conversation = self._begin(data)
        if type(conversation) is Conversation:
            plain = conversation
            plain.take_data(data, self._items)
        else:
            self._items += self._open[data.connection].take(data)

    def _take_other(self, event: StreamGap | StreamConflict) -> None:
        conversation = self._open.get(event.connection) or self._begin(event)
        self._items += conversation.take(event)

    def _begin(self, event: StreamData | StreamGap | StreamConflict) -> "_Conversation":
        """Begin the conversation of a connection with its first event."""
        connection = event.connection
        conversation: _Conversation
        conversation = plain = Conversation(connection, self._limits, self._options, self._budget)
        if not isinstance(event, StreamData) or not event.data[0]:
            # Neither TLS nor a PROXY header begins with a zero, and all but the largest messages do.
            pass
        elif begins_tls(event.data):
            self._counts.tls_begun += 1
            from kafkasniff.calls.detection.encrypted import EncryptedConversation
            from kafkasniff.tcp.tls.stream import TlsStream

            conversation = EncryptedConversation(plain, TlsStream(connection, self._tls), self._options.keep_packets)
        elif begins_with_proxy_header(event.data):
            from kafkasniff.calls.detection.proxied import ProxiedConversation

            conversation = ProxiedConversation(plain, self._tls, event.direction, self._options.keep_packets)
        self._open[connection] = connection.conversation = conversation
        return conversation

    def _end(self, event: ConnectionEnd) -> list[Item]:
        connection = event.connection
        self._counts.connections += 1
        conversation = self._open.pop(connection, None)
        connection.conversation = None
        items: list[Item] = []
        kafka: KafkaStreams | None = None
        if conversation is not None:
            arrival, until = event.arrival, 0
            if connection.ended_by == "capture-end":
                until = self.until
            if type(conversation) is Conversation:
                plain = conversation
                items = plain.end(arrival, until)
                kafka = plain.kafka
            else:
                items = conversation.end(arrival, until)
                kafka = conversation.kafka
        if kafka is None:
            self._count_other(connection, conversation)
        else:
            counts = self._counts
            counts.kafka_connections += 1
            if connection.initiator is None:
                counts.missing_beginnings += 1
            if kafka.correlator.unread:
                counts.unread_ends += 1
            first, second = connection.counters
            if first.conflicts or second.conflicts:
                counts.conflicts += first.conflicts + second.conflicts
            if not (first.packets and second.packets):
                counts.one_way_connections += 1
        if self._reports:
            conversation = conversation or Conversation(connection, self._limits, self._options, self._budget)
            items.append(conversation.report(event.arrival))
        return items

    def _count_other(self, connection: Connection, conversation: "_Conversation | None") -> None:
        protocol = (conversation.protocol if conversation is not None else None) or "empty"
        client, server = connection.endpoints
        if connection.initiator is None:
            # Clients' ports are mostly from the upper half.
            port = min(client.port, server.port)
        else:
            port = connection.endpoints[1 - connection.initiator].port
        others = self._counts.others
        if (protocol, port) not in others and len(others) >= _MOST_PORTS:
            port = 0
        others[protocol, port] = others.get((protocol, port), 0) + 1
