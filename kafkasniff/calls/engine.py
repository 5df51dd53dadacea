# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""The engine: packet batches in, calls and gaps out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, Gap
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.detection.recognition import begins_with_proxy_header
from kafkasniff.calls.enrichment.fetch_sessions import FetchSessions
from kafkasniff.calls.enrichment.learning import Learning, may_tell, names_topic_ids
from kafkasniff.calls.items import Item
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.streams import CallOptions, KafkaStreams
from kafkasniff.capture.packets import Arrival, PacketBatch
from kafkasniff.tcp.events import (
    Connection,
    ConnectionEnd,
    Receiver,
    StreamConflict,
    StreamData,
    StreamEvent,
    StreamGap,
)
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from kafkasniff.tcp.tls.beginning import begins_tls
from kafkasniff.tcp.tls.context import TlsContext, TlsLimits
from kafkasniff.tcp.tls.key_log import KeyLog

if not cython.compiled:
    from kafkasniff.octets import part
    from kafkasniff.tcp.events import new_stream_data

if TYPE_CHECKING:  # captures without TLS and PROXY headers should not wait for them
    from kafkasniff.calls.detection.encrypted import EncryptedConversation
    from kafkasniff.calls.detection.proxied import ProxiedConversation

    _Conversation = Conversation | EncryptedConversation | ProxiedConversation

SWEEP_NS = 500_000_000
"""How often `tick` looks at every connection."""

_TELLS = 1
_NAMES_IDS = 2
_LOOKED_UP = 4
_KEYS, _VERSIONS = 256, 32
_MOST_PORTS = 1_000
"""Ports of servers that are told apart where connections are not Kafka."""


class Counts:
    """What the engine has seen so far."""

    __slots__ = (
        "calls",
        "calls_in_part",
        "conflicts",
        "connections",
        "gap_bytes",
        "gaps",
        "kafka_connections",
        "missing_beginnings",
        "one_way_connections",
        "others",
        "tls_begun",
        "unread_ends",
    )

    def __init__(self) -> None:
        """Begin with nothing."""
        self.connections = 0
        self.kafka_connections = 0
        self.tls_begun = 0
        """Connections that began with TLS, also those that have not ended."""
        self.one_way_connections = 0
        """Kafka connections of which one direction's data is not in the capture at all."""
        self.missing_beginnings = 0
        """Kafka connections whose SYN is not in the capture."""
        self.others: dict[tuple[str, int], int] = {}
        """Connections that are not Kafka, by protocol (`empty`: no data) and the server's port; 0: too many ports."""
        self.calls = 0
        self.calls_in_part = 0
        """Calls of which the capture lacks bytes of the request or the response."""
        self.gaps = 0
        self.gap_bytes = 0
        self.unread_ends = 0
        """Kafka connections whose last bytes are no message, such as an impossible size."""
        self.conflicts = 0
        """Segments of Kafka connections that repeated bytes with other contents."""


class Engine(Receiver):
    """Reassembles, frames and pairs; does no input or output.

    The same engine serves files, standard input, live interfaces and Spark: feed it batches of any size in packet
    order, flush it at the end.
    """

    __slots__ = (
        "_budget",
        "_call_limits",
        "_conversations",
        "_items",
        "_kinds",
        "_latest",
        "_learning",
        "_next_sweep",
        "_options",
        "_report_connections",
        "counts",
        "reassembler",
        "tls",
    )

    def __init__(
        self,
        tcp_limits: TcpLimits | None = None,
        call_limits: CallLimits | None = None,
        options: CallOptions | None = None,
        report_connections: bool = False,
        key_log: KeyLog | None = None,
        tls_limits: TlsLimits | None = None,
    ) -> None:
        """With `report_connections`, say of every connection what it was when it ends.

        TLS is decrypted with the secrets in `key_log`, which may grow between batches.
        """
        super().__init__()
        self.reassembler = Reassembler(tcp_limits or TcpLimits(), self)
        self.tls = TlsContext(key_log, tls_limits)
        self.counts = Counts()
        self._call_limits = call_limits or CallLimits()
        self._options = options or CallOptions()
        self._learning = Learning(self._options.context, FetchSessions() if self._options.fetch_sessions else None)
        self._budget = Budget(self._call_limits.held_in_all)
        self._report_connections = report_connections
        self._next_sweep = 0
        self._latest = 0
        """Up to when all packets were fed, also where there was none, in ns since 1970."""
        self._kinds = bytearray(_KEYS * _VERSIONS)
        """By API key and version, once looked up: whether its calls tell of others, and whether they have topic ids."""
        self._conversations: dict[Connection, _Conversation] = {}
        """Those of open connections."""
        self._items: list[Item] = []
        """What ended with the packets that are being taken."""

    def notes(self) -> list[str]:
        """Give what could not be read and which limits were reached, in sentences."""
        notes = [*self.reassembler.counters.notes(), *self._budget.notes()]
        if repeated := self.counts.conflicts:
            notes.append(f"segments that repeated bytes with other contents (the first seen were kept): {repeated:,}")
        if unread := self.counts.unread_ends:
            notes.append(f"Kafka connections that end in bytes which are no message: {unread:,}")
        return notes

    def feed(self, batch: PacketBatch) -> list[Item]:
        """Take packets; give what ended with them, in packet order."""
        return self._take_rest(self.reassembler.feed(batch))

    def tick(self, now: int) -> list[Item]:
        """Give what the passing of time alone brings: all packets up to `now`, in ns since 1970, were fed.

        Calls that wait for longer than `CallLimits.pending_ns` are given as they stand, and secrets of TLS that came
        late are used.
        """
        self._latest = max(self._latest, now)
        rest = self.reassembler.tick(now)
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_NS
            self._take_events(rest)
            for conversation in self._conversations.values():
                self._items += conversation.tick(now)
        return self._take_rest(rest)

    def flush(self, end: int = 0) -> list[Item]:
        """Give the rest: nothing more comes. The capture ends at `end`, in ns since 1970, if not with what was fed."""
        self._latest = max(self._latest, end)
        return self._take_rest(self.reassembler.flush())

    def take_segment(
        self, connection: Connection, direction: int, data: bytes, start: int, length: int, arrival: Arrival
    ) -> None:
        """Take the payload of a segment that comes next in its direction."""
        if self.events:
            self._take_events(self.events)
        conversation = connection.conversation
        if type(conversation) is Conversation:
            plain = conversation
            plain.take_segment(direction, data, start, length, arrival, self._items)
        else:
            payload = part(data, start, start + length)
            self._take_data(new_stream_data(connection, direction, payload, arrival, arrival, ()))

    def _take_rest(self, events: list[StreamEvent]) -> list[Item]:
        """Take the last events of what was fed; give the items of all, and learn from them."""
        self._take_events(events)
        items, self._items = self._items, []
        self._note(items)
        return items

    def _take_events(self, events: list[StreamEvent]) -> None:
        """Take events, and clear the list."""
        for event in events:
            if type(event) is StreamData:
                self._take_data(event)
            elif type(event) is ConnectionEnd:
                self._items += self._end(event)
            elif type(event) is StreamGap or type(event) is StreamConflict:
                conversation = self._conversations.get(event.connection) or self._begin(event)
                self._items += conversation.take(event)
        events.clear()

    def _take_data(self, data: StreamData) -> None:
        conversation = data.connection.conversation
        if conversation is None:
            conversation = self._begin(data)
        if type(conversation) is Conversation:
            plain = conversation
            plain.take_data(data, self._items)
        else:
            self._items += self._conversations[data.connection].take(data)

    def _begin(self, event: StreamData | StreamGap | StreamConflict) -> "_Conversation":
        """Begin the conversation of a connection with its first event."""
        connection = event.connection
        conversation: _Conversation
        conversation = plain = Conversation(connection, self._call_limits, self._options, self._budget)
        if not isinstance(event, StreamData) or not event.data[0]:
            # Neither TLS nor a PROXY header begins with a zero, and all but the largest messages do.
            pass
        elif begins_tls(event.data):
            self.counts.tls_begun += 1
            from kafkasniff.calls.detection.encrypted import EncryptedConversation
            from kafkasniff.tcp.tls.stream import TlsStream

            conversation = EncryptedConversation(plain, TlsStream(connection, self.tls), self._options.keep_packets)
        elif begins_with_proxy_header(event.data):
            from kafkasniff.calls.detection.proxied import ProxiedConversation

            conversation = ProxiedConversation(plain, self.tls, event.direction, self._options.keep_packets)
        self._conversations[connection] = connection.conversation = conversation
        return conversation

    def _end(self, event: ConnectionEnd) -> list[Item]:
        connection = event.connection
        self.counts.connections += 1
        conversation = self._conversations.pop(connection, None)
        connection.conversation = None
        items: list[Item] = []
        kafka: KafkaStreams | None = None
        if conversation is not None:
            arrival, until = event.arrival, 0
            if connection.ended_by == "capture-end":
                until = max(self._latest, self.reassembler.latest)
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
            counts = self.counts
            counts.kafka_connections += 1
            if connection.initiator is None:
                counts.missing_beginnings += 1
            if kafka.unread:
                counts.unread_ends += 1
            first, second = connection.counters
            if first.conflicts or second.conflicts:
                counts.conflicts += first.conflicts + second.conflicts
            if not (first.data_bytes and second.data_bytes):
                counts.one_way_connections += 1
        if self._report_connections:
            conversation = conversation or Conversation(connection, self._call_limits, self._options, self._budget)
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
        others = self.counts.others
        if (protocol, port) not in others and len(others) >= _MOST_PORTS:
            port = 0
        others[protocol, port] = others.get((protocol, port), 0) + 1

    def _note(self, items: Sequence[Item]) -> None:
        """Number the calls, count what ended, and learn from it."""
        counts, learning, kinds = self.counts, self._learning, self._kinds
        calls = counts.calls
        for item in items:
            if type(item) is Call:
                call = item
                calls += 1
                call.number = calls
                header = call.header
                if header is None:
                    continue
                key, version = header.api_key, header.api_version
                if key >= _KEYS or version >= _VERSIONS:
                    kind = _kind(key, version)
                else:
                    kind = kinds[key * _VERSIONS + version]
                    if not kind:
                        kind = kinds[key * _VERSIONS + version] = _kind(key, version)
                if kind & _TELLS:
                    learning.take(call)
                if kind & _NAMES_IDS:
                    learning.date(call)
            elif isinstance(item, Gap):
                counts.gaps += 1
                counts.gap_bytes += item.length or 0
        counts.calls = calls
        if counts.gaps or self.reassembler.counters.cut_packets:
            counts.calls_in_part += sum(map(_is_in_part, items))


def _is_in_part(item: Item) -> bool:
    """Tell whether the capture lacks bytes of a call's messages."""
    if not isinstance(item, Call):
        return False
    sides = (item.request, item.response)
    return any(frame is not None and not frame.whole and not frame.limited for frame in sides)


def _kind(key: int, version: int) -> int:
    """Tell what is to be done with the calls of an API in a version."""
    return _LOOKED_UP + _TELLS * may_tell(key, version) + _NAMES_IDS * names_topic_ids(key, version)
