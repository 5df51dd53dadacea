"""Compact events: of what the engine gives all that rules look at, without the contents of records."""

from collections.abc import Iterator
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
from kafkasniff.diagnose.facts import PRODUCE, host_of
from kafkasniff.diagnose.memory import Bounded
from kafkasniff.diagnose.producers.compression import SAMPLED_BYTES, SAMPLES
from kafkasniff.diagnose.producers.produced import partition_of
from kafkasniff.pipeline.indexes.interfaces import PlacedInterface
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.batches import Batch
from kafkasniff.protocol.records.layout import MAGIC_2, OFFSET_AND_SIZE
from kafkasniff.tables.bodies import Body, body_of
from kafkasniff.tables.declared import EVENTS
from kafkasniff.tables.rows import Placed
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


class _PackedConnection:
    """What is known of a connection of which there are events."""

    __slots__ = ("apis", "client", "client_id", "named", "number")

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

    def names(self, client_id: str | None) -> bool:
        """Take a call that rules look at; tell whether it says who the client is, as the first of a program does."""
        known = self.named and self.client_id == client_id
        self.named, self.client_id = True, client_id
        return not known


class EventPacker:
    """Makes rows of `tables.EVENTS` of what one engine gives."""

    __slots__ = ("_bucket", "_connections", "_latest", "_samples", "_serial", "_vantage", "end")

    def __init__(self, vantage: str, bucket: int, end: int) -> None:
        """Begin; the capture of `vantage` ends at `end` (ns)."""
        self._vantage = vantage
        self._bucket = bucket
        self.end = end
        self._serial = 0
        self._latest = (0, 0)
        self._connections: dict[Connection, _PackedConnection] = {}
        self._samples: Bounded[list[int]] = Bounded()

    @property
    def events(self) -> int:
        """Give how many rows were made."""
        return self._serial

    @property
    def latest(self) -> int:
        """Give the time of the latest row, before the end of the capture (ns)."""
        return self._latest[0]

    def row(self, item: Item, at_end: bool) -> Placed:
        """Give the row of what came next; `at_end`: after the last packet of the capture."""
        self._serial += 1
        arrival = arrival_of(item)
        self._latest = max(self._latest, (arrival.time, arrival.packet))
        connection = item.connection
        packed_connection = self._connections.get(connection)
        told = packed_connection is not None and isinstance(item, Call) and item.outcome == "answered"
        if packed_connection is None:
            packed_connection = self._connections[connection] = _PackedConnection(self._serial, item.client)
        state = None if told else self._state(connection)
        number, plain = packed_connection.number, False
        if isinstance(item, Call):
            packed: Packed = ("call", number, state, self._call(item))
            plain = self._plain(item, packed_connection)
        elif isinstance(item, ConnectionReport):
            del self._connections[connection]
            packed = ("report", number, state, self._report(item))
        elif isinstance(item, Gap):
            packed = ("gap", number, state, self._gap(item))
        else:
            packed = ("token", number, state, self._token(item))
        api = item.api_key if isinstance(item, Call) else None
        share = packed_connection.client, _NO_CALL if api is None else api, plain
        # What is open at the end of a capture ends in the order in which it began.
        place = (connection.first.time, connection.first.packet) if at_end else self._latest
        return self._row(packed, share, (self.end if at_end else place[0], at_end, *place))

    def _plain(self, call: Call, packed_connection: _PackedConnection) -> bool:
        """Tell whether nothing is to be seen in a call but what those of its API show."""
        answered = call.outcome == "answered"
        # As `Diagnosis` trusts them.
        trusted = answered or packed_connection.named or call.connection.initiator is not None
        header, request = call.header, call.request
        if header is None or request is None or not trusted:
            return False
        named = packed_connection.names(call.client_id) or header.api_key not in packed_connection.apis
        packed_connection.apis.add(header.api_key)
        in_transaction = _in_transaction(header, request.data)
        return not named and answered and not call.errors and not in_transaction

    def _row(self, packed: Packed, share: Packed, order: Packed) -> Placed:
        """Give a row; `share` and `order` are what `EVENTS` says of its place among the rows and tasks."""
        place = (*order, self._bucket, self._serial)
        return EVENTS.name, 0, (self._vantage, *place, *share, msgpack.packb(packed, unicode_errors="surrogatepass"))

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
        failed = call.api_key == PRODUCE and (call.response is None or call.errors)
        response = self._frame(call.response, body_of(call, "response"), None)
        ends_it = call.response is not None and call.response.last is call.ended
        return (
            call.client,
            call.server,
            self._frame(call.request, body_of(call, "request"), call),
            response,
            None if call.header is None else call.header.fields(),
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
        )

    def _frame(self, frame: Frame | None, body: Body | None, produced: Call | None) -> Packed | None:
        """Pack a message; of the records of `produced`, a call whose request it is, the batches' headers are kept."""
        if frame is None:
            return None
        who = (produced.client, produced.client_id) if produced is not None and produced.api_key == PRODUCE else None
        data = frame.data if body is None else self._kept(frame.data, body, produced is not None, who)
        last = None if frame.last is frame.first else self._at(frame.last)
        return frame.size, data, self._at(frame.first), last, frame.stream_offset, frame.problems, frame.limited

    def _kept(self, data: bytes, body: Body, headers: bool, producer: _Producer | None) -> bytes | Packed:
        """Give of a message what is kept; with `headers`, those of the batches; samples of what `producer` sent."""
        if body.value is None or not body.records:
            return data
        kept: list[tuple[int, bytes]] = []
        position = 0
        for field in body.records:
            sampled = field.start if producer is None else self._sampled(data, field, body.value, producer)
            kept.append((position, data[position:sampled]))
            kept += _headers(data, field) if headers else ()
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
