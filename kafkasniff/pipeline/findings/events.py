# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""Compact events: of what the engine gives all that rules look at, without the contents of records."""

from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import msgpack

from kafkasniff.calls.call import Call
from kafkasniff.calls.correlation.pairing import FIRST_IN_TRANSACTIONS, FLEXIBLE_PRODUCE
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.facts.clients import host_of
from kafkasniff.diagnose.facts.facts import NAMING_GROUPS, TELLING
from kafkasniff.diagnose.facts.history import is_sample
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.producers.compression import SAMPLED_BYTES, SAMPLES
from kafkasniff.diagnose.seen.produced import partition_of
from kafkasniff.pipeline.indexes.interfaces import PlacedInterface
from kafkasniff.protocol.api_keys import PRODUCE
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.batches import Batch
from kafkasniff.protocol.records.layout import MAGIC_2, OFFSET_AND_SIZE
from kafkasniff.tables.bodies import body_of, holds_records
from kafkasniff.tables.rows import Row
from kafkasniff.tcp.events import COUNTERS, Connection, DirectionCounters
from kafkasniff.tcp.tls.description import TlsDescription

_MOST_BATCHES = 1_000
"""Batches of a `records` field whose headers are kept; rules look at no more."""

Packed = tuple[Any, ...]
_Producer = tuple[str, str | None]
"""Address and client id."""

_NULL, _EMPTY, _COMPACT_EMPTY = b"\xff\xff", b"\0\0", b"\1"
"""A nullable string that is null, one that is empty, and a compact one that is (null is less)."""

_NO_CALL = -1
"""In place of an API where an event is no call."""

SLOTS = 64
"""Clients are told apart by so many remainders of the hash of their address, when they are dealt out among tasks."""
ACROSS = -1
"""Beside these: events that rules look at which look across clients."""

_ACROSS_RULES = [rule for rule in RULES if rule.looks_across_clients]
_TAKEN = frozenset[int]().union(TELLING, NAMING_GROUPS, *(rule.apis for rule in _ACROSS_RULES)) - {PRODUCE}
"""APIs of which they take all calls; of Produce only what is in a transaction."""
_SAMPLED = frozenset[int]().union(*(rule.sampled for rule in _ACROSS_RULES)) - _TAKEN
"""Those of which they take one call a second of each connection."""

_pack = msgpack.Packer(unicode_errors="surrogatepass", autoreset=True).pack


class _PackedConnection:
    """What is known of a connection of which there are events."""

    __slots__ = ("apis", "client", "client_id", "named", "number", "sampled")

    def __init__(self, number: int, client: str) -> None:
        """Begin with the number of its first event, and the client's end."""
        self.number = number
        # The same in all processes, other than Python's own hash.
        self.client = crc32(host_of(client).encode()) & 0x7FFFFFFF
        self.named = False
        """Whether a call was seen that rules look at."""
        self.client_id: str | None = None
        self.apis: set[int] = set()
        """Of which there were calls."""
        self.sampled: dict[int, int] = {}
        """By API, when a call was last taken as a sample (ns)."""

    def names(self, client_id: str | None) -> bool:
        """Take a call that rules look at; tell whether it says who the client is, as the first of a program does."""
        known = self.named and self.client_id == client_id
        self.named, self.client_id = True, client_id
        return not known


class EventPacker:
    """Makes rows of `tables.EVENTS` of what one engine gives."""

    __slots__ = ("_bucket", "_connections", "_latest", "_samples", "_serial", "_vantage", "end", "loads")

    def __init__(self, vantage: str, bucket: int, end: int) -> None:
        """Begin; the capture of `vantage` ends at `end` (ns)."""
        self._vantage = vantage
        self._bucket = bucket
        self.end = end
        self._serial = 0
        self._latest = (0, 0)
        self._connections: dict[Connection, _PackedConnection] = {}
        self._samples: Bounded[list[int]] = Bounded()
        self.loads: dict[int, int] = {}
        """How many rows were made of the clients of each of `SLOTS`, and of `ACROSS`."""

    @property
    def latest(self) -> int:
        """Give the time of the latest row, before the end of the capture (ns)."""
        return self._latest[0]

    def row(self, item: Item, at_end: bool) -> Row:
        """Give the row of what came next; `at_end`: after the last packet of the capture."""
        self._serial += 1
        arrival = arrival_of(item)
        self._latest = max(self._latest, (arrival.time, arrival.packet))
        connection = item.connection
        packed_connection = self._connections.get(connection)
        is_known = packed_connection is not None
        if packed_connection is None:
            packed_connection = self._connections[connection] = _PackedConnection(self._serial, item.client)
        number, api, across = packed_connection.number, _NO_CALL, True
        if isinstance(item, Call):
            call = item
            # What rules ask of the connection of an answered call is the first's, and whether the client had gone.
            is_plain = is_known and call.outcome == "answered" and connection.first_fin is None
            state = None if is_plain else self._state(connection)
            packed: Packed = ("call", number, state, self._call(call))
            across = not self._plain(call, packed_connection)
            if call.header is not None:
                api = call.header.api_key
        elif isinstance(item, ConnectionReport):
            del self._connections[connection]
            packed = ("report", number, self._state(connection), self._report(item))
        elif isinstance(item, Gap):
            packed = ("gap", number, self._state(connection), self._gap(item))
        else:
            packed = ("token", number, self._state(connection), self._token(item))
        # What is open at the end of a capture ends in the order in which it began.
        place = (connection.first.time, connection.first.packet) if at_end else self._latest
        order = (self.end if at_end else place[0], at_end, *place, self._bucket, self._serial)
        slot = packed_connection.client % SLOTS
        self.loads[slot] = self.loads.get(slot, 0) + 1
        if across:
            self.loads[ACROSS] = self.loads.get(ACROSS, 0) + 1
        return (self._vantage, *order, packed_connection.client, api, across, _pack(packed))

    def _plain(self, call: Call, packed_connection: _PackedConnection) -> bool:
        """Tell whether a call shows nothing to rules that look across clients."""
        answered = call.outcome == "answered"
        # As `Diagnosis` trusts them.
        trusted = answered or packed_connection.named or call.connection.initiator is not None
        header, request = call.header, call.request
        if header is None or request is None or not trusted:
            return False
        key = header.api_key
        named = packed_connection.names(header.client_id) or key not in packed_connection.apis
        packed_connection.apis.add(key)
        if key in _TAKEN or call.response is None or call.errors:
            return False
        due = key in _SAMPLED and is_sample(packed_connection.sampled, key, call.ended.time)
        return answered and not named and not due and not _in_transaction(header, request.data)

    def _at(self, arrival: Arrival) -> Packed:
        interface = arrival.interface
        assert isinstance(interface, PlacedInterface)
        return arrival.time, arrival.packet, interface.part, interface.number

    def _state(self, connection: Connection) -> Packed:
        fin = connection.first_fin
        return (
            [tuple(end) for end in connection.endpoints],
            connection.epoch,
            self._at(connection.first),
            self._at(connection.last),
            connection.initiator,
            connection.round_trip_ns,
            connection.ended_by,
            connection.ended_direction,
            None if fin is None else self._at(fin),
            connection.tunnel,
            [_counted(counters) for counters in connection.counters],
        )

    def _call(self, call: Call) -> Packed:
        header, response = call.header, call.response
        frames = self._frame(call, call.request, "request"), self._frame(call, response, "response")
        # What was read of the bodies for these tells of errors too.
        failed = header is not None and header.api_key == PRODUCE and (response is None or call.errors)
        ends_it = response is not None and response.last is call.ended
        return (
            call.client,
            call.server,
            *frames,
            None if header is None else header.fields(),
            call.outcome,
            None if ends_it else self._at(call.ended),
            call.pending_ns,
            call.security_protocol,
            call.principal,
            call.software_name,
            call.software_version,
            call.pairing_problems,
            # Checksums cannot be verified again.
            [(where, path, _fields(batch)) for where, path, batch in call.batch_headers] if failed else None,
            call.context.tokens,
        )

    def _frame(self, call: Call, frame: Frame | None, side: Kind) -> Packed | None:
        """Pack a message of a call; of records the headers of batches are kept, and samples of what was produced."""
        if frame is None:
            return None
        header = call.header
        data: bytes | Packed = frame.data
        if header is not None and holds_records(header.api_key, header.api_version, side):
            body = body_of(call, side)
            who = (call.client, header.client_id) if side == "request" and header.api_key == PRODUCE else None
            if body is not None and body.value is not None and body.records:
                data = self._kept(frame.data, body.value, body.records, who)
        last = None if frame.last is frame.first else self._at(frame.last)
        return frame.size, data, self._at(frame.first), last, frame.stream_offset, frame.problems, frame.limited

    def _kept(
        self, data: bytes, body: dict[str, Any], records: Sequence[RecordsField], producer: _Producer | None
    ) -> Packed:
        """Give of a message what is kept; samples of what `producer` sent."""
        kept: list[tuple[int, bytes]] = []
        position = 0
        for field in records:
            sampled = field.start if producer is None else self._sampled(data, field, body, producer)
            kept.append((position, data[position:sampled]))
            kept += _headers(data, field)
            position = field.end
        kept.append((position, data[position:]))
        return len(data), kept

    def _sampled(self, data: bytes, field: RecordsField, body: dict[str, Any], producer: _Producer) -> int:
        """Give up to where the bytes of a field are kept as a sample of what it holds."""
        found = partition_of(data, field.start, field.end)
        if found is None or not found[1] or found[0] < 2:
            return field.start
        topic = body["topicData"][int(field.path.partition("[")[2].partition("]")[0])]
        # At least as fine as the rule's keys, so that whatever it samples first is among these.
        taken = self._samples.touch((*producer, topic.get("name"), topic.get("topicId")), lambda: [0])
        taken[0] += 1
        return min(field.end, field.start + SAMPLED_BYTES) if taken[0] <= SAMPLES else field.start

    def _gap(self, gap: Gap) -> Packed:
        return gap.client, gap.server, gap.direction, gap.length, self._at(gap.arrival), gap.acknowledged

    def _report(self, report: ConnectionReport) -> Packed:
        described = (report.client, report.server, report.protocol, report.evidence, report.calls)
        tls = None if report.tls is None else _fields(report.tls)
        return *described, self._at(report.last), report.response_start, tls

    def _token(self, token: RawToken) -> Packed:
        return token.client, token.server, token.direction, token.size, self._at(token.arrival), token.token


def arrival_of(item: Item) -> Arrival:
    """Give the packet that brought an item."""
    if isinstance(item, Call):
        return item.ended
    return item.last if isinstance(item, ConnectionReport) else item.arrival


def _headers(data: bytes, field: RecordsField) -> Iterator[tuple[int, bytes]]:
    """Give where the headers of a field's batches lie, and their bytes."""
    position = field.start
    for _ in range(_MOST_BATCHES):
        if field.end - position < OFFSET_AND_SIZE.size:
            if position < field.end:
                yield position, data[position : field.end]
            return
        yield position, data[position : min(position + MAGIC_2.size, field.end)]
        size = OFFSET_AND_SIZE.unpack_from(data, position)[1]
        if size <= 0:
            return
        position += OFFSET_AND_SIZE.size + size


def _in_transaction(header: RequestHeader, data: bytes) -> bool:
    """Tell whether a request is a Produce that names a transactional id (KIP-98)."""
    body = header.end
    if header.api_key != PRODUCE or header.api_version < FIRST_IN_TRANSACTIONS:
        return False
    if header.api_version >= FLEXIBLE_PRODUCE:
        return data[body : body + 1] > _COMPACT_EMPTY
    return data[body : body + 2] not in (_NULL, _EMPTY)


def _fields(thing: Batch | TlsDescription) -> Packed:
    return tuple(getattr(thing, name) for name in thing.__slots__)


def _counted(counters: DirectionCounters) -> Packed:
    return tuple(getattr(counters, name) for name in COUNTERS)
