"""The engine: packet batches in, calls and gaps out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkasniff.calls.call import Call, Gap
from kafkasniff.calls.conversation import Conversation, note_server
from kafkasniff.calls.encrypted import EncryptedConversation
from kafkasniff.calls.fetch_sessions import FetchSessions
from kafkasniff.calls.items import Item, expand
from kafkasniff.calls.learning import TELLING, Learning, names_topic_ids
from kafkasniff.calls.limits import Budget, CallLimits
from kafkasniff.calls.streams import CallOptions
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.events import (
    Connection,
    ConnectionEnd,
    StreamConflict,
    StreamData,
    StreamEvent,
    StreamGap,
    StreamRun,
)
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler
from kafkasniff.tcp.tls.context import TlsContext, TlsLimits
from kafkasniff.tcp.tls.key_log import KeyLog
from kafkasniff.tcp.tls.records import begins_tls

if TYPE_CHECKING:
    from kafkasniff.calls.columns.calls import CallRows
    from kafkasniff.calls.turns import Turns
    from kafkasniff.tcp.lives import Lives

SWEEP_NS = 500_000_000
"""How often `tick` looks at every connection."""


@dataclass(slots=True)
class Counts:
    """What the engine has seen so far."""

    connections: int = 0
    kafka_connections: int = 0
    one_way_connections: int = 0
    """Kafka connections of which one direction's data is not in the capture at all."""
    missing_beginnings: int = 0
    """Kafka connections whose SYN is not in the capture."""
    calls: int = 0
    gaps: int = 0
    gap_bytes: int = 0
    unread_ends: int = 0
    """Kafka connections whose last bytes are no message, such as an impossible size."""
    conflicts: int = 0
    """Segments of Kafka connections that repeated bytes with other contents."""


class Engine:
    """Reassembles, frames and pairs; does no input or output.

    The same engine serves files, standard input, live interfaces and Spark: feed it batches of any size in packet
    order, flush it at the end.
    """

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
        self.reassembler = Reassembler(tcp_limits or TcpLimits())
        self.tls = TlsContext(key_log, tls_limits)
        self.counts = Counts()
        self._call_limits = call_limits or CallLimits()
        self._options = options or CallOptions()
        self._learning = Learning(self._options.context, FetchSessions() if self._options.fetch_sessions else None)
        self._budget = Budget(self._call_limits.held_in_all)
        self._report_connections = report_connections
        self._next_sweep = 0
        self._conversations: dict[Connection, Conversation | EncryptedConversation] = {}

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
        return list(expand(self.feed_columns(batch)))

    def feed_columns(self, batch: PacketBatch) -> "list[Item | CallRows]":
        """Do the same, with calls that were found by columns still together: they take less time so."""
        events = self.reassembler.feed(batch)
        places = self.reassembler.places
        items: list[Item | CallRows] = []
        items += self._take(events) if places is None else self._take_runs(events, places, self.reassembler.lives)
        self._note(items)
        return items

    def tick(self, now: int) -> list[Item]:
        """Give what the passing of time alone brings: all packets up to `now`, in ns since 1970, were fed.

        Calls that wait for longer than `CallLimits.pending_ns` are given as they stand, and secrets of TLS that came
        late are used.
        """
        items = self._take(self.reassembler.tick(now))
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_NS
            for conversation in self._conversations.values():
                items += conversation.tick(now)
        self._note(items)
        return items

    def flush(self) -> list[Item]:
        """Give the rest: nothing more comes."""
        items = self._take(self.reassembler.flush())
        self._note(items)
        return items

    def _take(self, events: list[StreamEvent]) -> list[Item]:
        items: list[Item] = []
        for event in events:
            if isinstance(event, (StreamData, StreamGap, StreamConflict)):
                items += self._conversation(event).take(event)
            elif isinstance(event, ConnectionEnd):
                items += self._end(event)
        return items

    def _take_runs(
        self, events: list[StreamEvent], places: list[int], lives: "Sequence[Lives]"
    ) -> "list[Item | CallRows]":
        """Take events among which are runs, and whole connections beside them."""
        # NumPy takes longer to import than a small capture to read.
        from kafkasniff.calls.turns import Turns, one_by_one, with_lives

        batches = [event.batch for event in events if isinstance(event, StreamRun)] + [each.batch for each in lives]
        if not self._budget.is_ample(max((len(batch.data) for batch in batches), default=0)):
            # Near the limit it matters what all the others hold at each segment.
            return [*self._take(list(one_by_one(*with_lives(events, places, lives))))]
        turns = Turns()
        events, places = with_lives(events, places, [self._take_lives(each, turns) for each in lives])
        for place, event in zip(places, events, strict=True):
            turns.go_on(place)
            turns.settle(event.connection)
            if isinstance(event, StreamRun):
                turns.take_run(place, event, self._conversation(event))
            else:
                turns.add(place, self._take([event]))
        return turns.items()

    def _take_lives(self, lives: "Lives", turns: "Turns") -> "Lives":
        """Take whole connections at once; give those of them that cannot be taken so."""
        from kafkasniff.calls.columns.lives import take_lives

        taken, refused = take_lives(lives, self._options, self._call_limits)
        if taken is not None:
            self.counts.connections += len(taken)
            self.counts.kafka_connections += len(taken)
            for server, time in taken.servers():
                note_server(self._options.kafka_servers, server, time)
            turns.take_columns(taken.columns)
            for place, reports in taken.reports() if self._report_connections else ():
                turns.add(place, reports)
        return refused

    def _conversation(
        self, event: StreamData | StreamGap | StreamConflict | StreamRun
    ) -> Conversation | EncryptedConversation:
        """Find the conversation of an event's connection, or begin it."""
        conversation = self._conversations.get(event.connection)
        if conversation is None:
            conversation = self._conversations[event.connection] = self._begin(
                event.first if isinstance(event, StreamRun) else event
            )
        return conversation

    def _begin(self, event: StreamData | StreamGap | StreamConflict) -> Conversation | EncryptedConversation:
        """Begin the conversation of a connection with its first event."""
        conversation = Conversation(event.connection, self._call_limits, self._options, self._budget)
        if isinstance(event, StreamData) and begins_tls(event.data):
            # Captures without TLS should not wait for it.
            from kafkasniff.tcp.tls.stream import TlsStream

            return EncryptedConversation(
                conversation, TlsStream(event.connection, self.tls), self._options.keep_packets
            )
        return conversation

    def _end(self, event: ConnectionEnd) -> list[Item]:
        connection = event.connection
        self.counts.connections += 1
        conversation = self._conversations.pop(connection, None)
        items: list[Item] = []
        if conversation is not None:
            items += conversation.end(event.arrival)
            if conversation.kafka is not None:
                self.counts.kafka_connections += 1
                self.counts.missing_beginnings += connection.initiator is None
                self.counts.unread_ends += bool(conversation.kafka.unread)
                self.counts.conflicts += sum(counter.conflicts for counter in connection.counters)
                self.counts.one_way_connections += not all(counter.data_bytes for counter in connection.counters)
        if self._report_connections:
            conversation = conversation or Conversation(connection, self._call_limits, self._options, self._budget)
            items.append(conversation.report(event.arrival))
        return items

    def _note(self, items: "Sequence[Item | CallRows]") -> None:
        """Count what ended, and learn from it."""
        counts, learning = self.counts, self._learning
        for item in items:
            if isinstance(item, Call):
                counts.calls += 1
                header = item.header
                if header is not None and header.api_key in TELLING:
                    learning.take(item)
                if header is not None and names_topic_ids(header.api_key, header.api_version):
                    learning.date(item)
            elif isinstance(item, Gap):
                counts.gaps += 1
                counts.gap_bytes += item.length or 0
            elif isinstance(item, tuple):
                counts.calls += item.stop - item.start
                item.learn(learning)
