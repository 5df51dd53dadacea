"""A TLS connection: stream events go in, those of the data inside come out."""

from kafkasniff.tcp.events import Connection, StreamData, StreamGap
from kafkasniff.tcp.tls.context import TlsContext
from kafkasniff.tcp.tls.description import (
    INCOMPLETE,
    LATE,
    NO_LIBRARY,
    NO_SECRETS,
    NOT_FITTING,
    NOT_SUPPORTED,
    TlsDescription,
)
from kafkasniff.tcp.tls.handshake import TLS_1_2, TLS_1_3, HandshakeError, MessageBuffer
from kafkasniff.tcp.tls.negotiation import Negotiation
from kafkasniff.tcp.tls.records import ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE, Record, RecordCutter

_EVENT_OVERHEAD = 256
"""Bytes that an event takes beside its data, about."""


class _Direction:
    """What is known of one direction."""

    __slots__ = ("blocked", "cutter", "gap", "has_data", "messages", "protected")

    def __init__(self) -> None:
        self.cutter = RecordCutter()
        self.messages = MessageBuffer()
        self.protected = False
        """Whether all records are protected, whatever their type: behind the first, or TLS 1.2's ChangeCipherSpec."""
        self.blocked = False
        """Whether secrets, or the peer's hello, must come before anything else."""
        self.gap: StreamGap | None = None
        """The first gap since the last record."""
        self.has_data = False


class TlsStream:
    """Decrypts a connection where it can, and learns what its handshake says."""

    __slots__ = (
        "_connection",
        "_context",
        "_copied",
        "_directions",
        "_given_up",
        "_held",
        "_held_bytes",
        "_let_go",
        "_negotiation",
    )

    def __init__(self, connection: Connection, context: TlsContext) -> None:
        """Begin with the connection's first data."""
        self._connection = connection
        self._context = context
        self._negotiation = Negotiation(context)
        self._directions = (_Direction(), _Direction())
        self._given_up = False
        self._let_go = False
        """Whether more came than is held for secrets."""
        self._held: list[StreamData | StreamGap] = []
        self._held_bytes = 0
        self._copied = False

    @property
    def description(self) -> TlsDescription:
        """Give what is known of the connection so far."""
        return self._negotiation.description

    def take(self, event: StreamData | StreamGap) -> list[StreamData | StreamGap]:
        """Take bytes or a gap; give the data that they complete, and gaps where data are missing."""
        out: list[StreamData | StreamGap] = []
        if not self._given_up:
            self._feed(event, out)
            if self._held and self._find_keys():
                self._release(out)
        return out

    def take_held(self) -> list[StreamData | StreamGap]:
        """Give the data of what waited for secrets, if they have come."""
        out: list[StreamData | StreamGap] = []
        if any(side.blocked for side in self._directions) and self._find_keys():
            self._release(out)
        return out

    def end(self) -> list[StreamData | StreamGap]:
        """Give what is left when nothing more comes, and count what came of the connection."""
        out: list[StreamData | StreamGap] = []
        if self._held and self._find_keys():
            self._release(out)
        if not self._given_up:
            if self.description.decrypted:
                for direction in (0, 1):
                    self._end_direction(direction, out)
            else:
                self._give_up(NOT_FITTING if self._negotiation.openers else self._negotiation.lacking)
        self._forget_held()
        self._count()
        return out

    def _end_direction(self, direction: int, out: list[StreamData | StreamGap]) -> None:
        side = self._directions[direction]
        if side.cutter.aligned and side.gap is None:
            # A record that is not whole may have a damaged length, and whole ones behind it.
            side.cutter.misalign()
            self._drain(direction, out)
        else:
            self._lose(direction, out)

    def _feed(self, event: StreamData | StreamGap, out: list[StreamData | StreamGap]) -> None:
        side = self._directions[event.direction]
        if side.blocked:
            self._hold(event)
            return
        if isinstance(event, StreamGap):
            side.cutter.push_gap(event)
            side.gap = side.gap or event
        else:
            side.cutter.push(event)
        self._drain(event.direction, out)

    def _drain(self, direction: int, out: list[StreamData | StreamGap]) -> None:
        """Take all records of a direction that are whole."""
        side = self._directions[direction]
        cutter = side.cutter
        while not self._given_up:
            record = cutter.next_record()
            if record is None and cutter.aligned:
                return
            if record is not None and record.content_type != APPLICATION_DATA and not side.protected:
                side.blocked = not self._take_clear(direction, record)
                if side.blocked:
                    return
                cutter.take(record)
            elif not self._find_keys():
                side.blocked = True
                return
            elif record is not None:
                if not self._open(direction, record, out):
                    cutter.misalign()
            elif not any(self._open(direction, candidate, out) for candidate in cutter.candidates()):
                return

    def _open(self, direction: int, record: Record, out: list[StreamData | StreamGap]) -> bool:
        """Open a protected record and deliver what is inside; False when it does not authenticate."""
        side, openers = self._directions[direction], self._negotiation.openers
        assert openers is not None
        if self._given_up:
            return False
        cutter, opener = side.cutter, openers[direction]
        opened = opener.open(record, None if cutter.lost is None else cutter.lost + record.position)
        if opened is None:
            if opener.exhausted:
                if self.description.decrypted:
                    self._lose(0, out)
                    self._lose(1, out)
                self._give_up(NOT_FITTING)
            return False
        self.description.decrypted = True
        if opened.lost_records != 0:
            gap = side.gap or StreamGap(self._connection, direction, None, record.packets[0], cut=False)
            out.append(gap._replace(length=opened.lost_length))
        side.gap = None
        side.protected = True
        cutter.take(record)
        if opened.content.content_type == APPLICATION_DATA:
            side.has_data = True
            self._deliver(direction, record, opened.content.data, out)
        elif opened.content.content_type == HANDSHAKE and not side.has_data:
            self._take_messages(direction, opened.content.data)
        elif opened.content.content_type == ALERT:
            self._negotiation.take_alert(direction, opened.content.data)
        return True

    def _deliver(self, direction: int, record: Record, data: bytes, out: list[StreamData | StreamGap]) -> None:
        if not data:
            return
        connection, packets, delivered_by = self._connection, record.packets, record.delivered_by
        if len(packets) == 1:
            out.append(StreamData(connection, direction, data, packets[0], delivered_by))
            return
        # What begins with the record began on the wire with its first packet; all of it was there with the last.
        completed_by = max(packets, key=lambda arrival: arrival.order)
        out.append(StreamData(connection, direction, data[:1], packets[0], delivered_by, packets[1:]))
        if len(data) > 1:
            out.append(StreamData(connection, direction, data[1:], completed_by, delivered_by, packets))

    def _lose(self, direction: int, out: list[StreamData | StreamGap]) -> None:
        """Say that data are missing, of which it is not known how many."""
        last = self._connection.last
        gap = self._directions[direction].gap or StreamGap(self._connection, direction, None, last, cut=False)
        out.append(gap._replace(length=None))

    # The handshake

    def _take_clear(self, direction: int, record: Record) -> bool:
        """Take a record in the clear; False when it cannot be judged before the peer's hello is known."""
        version = self.description.version_number
        if record.content_type == CHANGE_CIPHER_SPEC:
            if version is None:
                return False
            # In TLS 1.3 it means nothing (RFC 8446, D.4).
            self._directions[direction].protected = version <= TLS_1_2
        elif record.content_type == ALERT:
            self._negotiation.take_alert(direction, record.fragment)
        elif record.content_type == HANDSHAKE and not (version == TLS_1_3 and self._negotiation.openers):
            self._take_messages(direction, record.fragment)
        return True

    def _take_messages(self, direction: int, fragment: bytes) -> None:
        side = self._directions[direction]
        try:
            for kind, body in side.messages.push(fragment):
                self._negotiation.take(direction, kind, body)
        except HandshakeError:
            # What damage in the handshake does shows when records do not authenticate.
            side.messages = MessageBuffer()

    def _find_keys(self) -> bool:
        found = not self._given_up and self._negotiation.find_keys()
        if found:
            self._copy_secrets()
        if self.description.failure in (NOT_SUPPORTED, NO_LIBRARY):
            self._give_up(self.description.failure)
        return found

    def _copy_secrets(self) -> None:
        """Hand on what opens the connection, once."""
        if self._context.copy_secrets is not None and not self._copied:
            self._copied = True
            self._context.copy_secrets(self._connection, self._negotiation.secret_lines())

    # Waiting for secrets

    def _hold(self, event: StreamData | StreamGap) -> None:
        size = _EVENT_OVERHEAD + (len(event.data) if isinstance(event, StreamData) else 0)
        self._held.append(event)
        self._held_bytes += size
        context = self._context
        context.held += size
        if self._held_bytes > context.limits.held_per_connection or context.held > context.limits.held_in_all:
            self._let_go = True
            self._give_up(self._negotiation.lacking)

    def _release(self, out: list[StreamData | StreamGap]) -> None:
        held = self._held
        self._forget_held()
        for direction, side in enumerate(self._directions):
            if side.blocked:
                side.blocked = False
                self._drain(direction, out)
        for event in held:
            if not self._given_up:
                self._feed(event, out)

    def _forget_held(self) -> None:
        self._context.held -= self._held_bytes
        self._held = []
        self._held_bytes = 0

    def _give_up(self, reason: str) -> None:
        """Decrypt no further, and let go of all bytes."""
        self.description.failure = reason
        client_random = self._negotiation.client_random
        if reason == NO_SECRETS and client_random is not None:
            self._context.give_up(client_random)
        self._given_up = True
        self._forget_held()
        self._directions = (_Direction(), _Direction())

    def _count(self) -> None:
        counters, description = self._context.counters, self.description
        if self._let_go and description.failure == NO_SECRETS:
            description.failure = None
            if self._negotiation.find_keys():
                description.failure = LATE
                self._copy_secrets()
            description.failure = description.failure or NO_SECRETS
        failure = description.failure
        counters.connections += 1
        if description.decrypted:
            counters.decrypted += 1
        else:
            counters.late += failure == LATE
            counters.without_secrets += failure == NO_SECRETS
            counters.not_fitting += failure == NOT_FITTING
            counters.no_library += failure == NO_LIBRARY
            counters.not_supported += failure == NOT_SUPPORTED
            counters.incomplete += failure == INCOMPLETE
