# cython: language_level=3, annotation_typing=False, boundscheck=True, nonecheck=True
"""Reads compact events: gives what the engine gave, but for the contents of records."""

from collections.abc import Mapping, Sequence
from random import Random

import msgpack

from kafkasniff.calls.call import Call, new_call
from kafkasniff.calls.contents import Contents
from kafkasniff.calls.context import NO_CONTEXT
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.capture.packets import Arrival, Interface, new_arrival
from kafkasniff.diagnose.producers.compression import SAMPLED_BYTES
from kafkasniff.pipeline.findings.events import Packed
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.protocol.records.batches import Batch
from kafkasniff.protocol.sasl.token import SaslToken
from kafkasniff.tcp.events import Connection, DirectionCounters, Endpoint
from kafkasniff.tcp.tls.description import Alert, TlsDescription

_FILLER = memoryview(Random(0).randbytes(SAMPLED_BYTES) * 16)
"""Stands for contents that were not kept. It does not deflate: nobody is accused for what was not looked at."""

_NOBODY = Endpoint("0.0.0.0", 0)
_NOWHERE = Arrival(0, 0, Interface("", 0))
_SOME_CONNECTION = Connection((_NOBODY, _NOBODY), 0, _NOWHERE, _NOWHERE)


class EventReader:
    """Makes of events again what the engine gave, but for the contents of records."""

    __slots__ = ("_ahead", "_connections", "ahead", "interfaces")

    def __init__(self, interfaces: Mapping[int, list[Interface]]) -> None:
        """Take the interfaces of each part, by its number."""
        self.interfaces = interfaces
        self._connections: dict[tuple[str, int, int], Connection] = {}
        self.ahead: Mapping[str, int] = {}
        """By vantage, how far its clock is ahead of those of its cluster (ns): so much is taken from all times."""
        self._ahead = 0

    def item(self, vantage: str, bucket: int, data: bytes) -> Item:
        """Give the item of an event; to be asked for in the order in which they were packed."""
        kind, number, state, packed = _unpacked(data)
        self._ahead = self.ahead.get(vantage, 0)
        key = vantage, bucket, number
        connection = self._connections.get(key)
        if state is not None:
            connection = self._connections[key] = self._update(connection, state)
        assert connection is not None
        if kind == "call":
            return self._call(connection, packed)
        if kind == "report":
            del self._connections[key]
            client, server, protocol, evidence, calls, last, start, tls = packed
            return ConnectionReport(
                connection, client, server, protocol, evidence, calls, self._at(last), start, _tls(tls)
            )
        if kind == "gap":
            client, server, direction, length, arrival, acknowledged = packed
            return Gap(connection, client, server, direction, length, self._at(arrival), acknowledged)
        client, server, direction, size, arrival, token = packed
        return RawToken(connection, client, server, direction, size, self._at(arrival), SaslToken(*token))

    def call_alone(self, data: bytes) -> Call:
        """Give the call of an event whose connection is not looked at, and is not that of the call."""
        packed = _unpacked(data)[-1]
        return self._call(_SOME_CONNECTION, packed)

    def take_over(self, other: "EventReader") -> None:
        """Know the open connections that another has read of, of other vantages."""
        self._connections |= other._connections

    def _at(self, packed: Packed) -> Arrival:
        time, packet, part, interface = packed
        return new_arrival(time - self._ahead, packet, self.interfaces[part][interface])

    def _update(self, connection: Connection | None, state: Packed) -> Connection:
        ends, epoch, first, last, initiator, round_trip, ended_by, ended_direction, fin, tunnel, counters = state
        if connection is None:
            one, other = ends
            connection = Connection((Endpoint(*one), Endpoint(*other)), epoch, self._at(first), self._at(last))
        connection.last = self._at(last)
        connection.initiator = initiator
        connection.round_trip_ns = round_trip
        connection.ended_by = ended_by
        connection.ended_direction = ended_direction
        connection.first_fin = None if fin is None else self._at(fin)
        connection.tunnel = tunnel
        of_one, of_other = counters
        connection.counters = _counters(of_one), _counters(of_other)
        return connection

    def _call(self, connection: Connection, packed: Packed) -> Call:
        client, server, request, response, header, outcome, ended, pending, security, *told = packed
        principal, software_name, software_version, problems, batches, tokens = told
        call = new_call()
        call.connection = connection
        call.client = client
        call.server = server
        call.request = self._frame(request)
        call.response = answer = self._frame(response)
        call.header = None if header is None else RequestHeader(*header)
        call.outcome = outcome
        call.ended = answer.last if answer is not None and ended is None else self._at(ended)
        call.pending_ns = pending
        call.security_protocol = security
        call.principal, call.software_name, call.software_version = principal, software_name, software_version
        call.show_secrets = False
        call.pairing_problems = [Problem(*each) for each in problems]
        call.context = NO_CONTEXT.having(tokens=tokens) if tokens else NO_CONTEXT
        if batches is not None:
            call._contents = Contents(batches=[(where, path, _batch(each)) for where, path, each in batches])
        return call

    def _frame(self, packed: Packed | None) -> Frame | None:
        if packed is None:
            return None
        size, data, first, last, offset, problems, limited = packed
        whole = data if isinstance(data, bytes) else _filled(data[0], data[1])
        arrived = self._at(first)
        came = arrived if last is None else self._at(last)
        return Frame(size, whole, arrived, came, offset, [Problem(*each) for each in problems], (), limited)


def _unpacked(data: bytes) -> Packed:
    """Give what `EventPacker` packed. Raises ValueError for what is no msgpack."""
    found: Packed = msgpack.unpackb(data, use_list=False, strict_map_key=False, unicode_errors="surrogatepass")
    return found


def _counters(values: Packed) -> DirectionCounters:
    """Give what was counted of a direction; `values` in the order of `COUNTERS`."""
    found = DirectionCounters()
    (
        found.packets,
        found.data_bytes,
        found.retransmissions,
        found.late_retransmissions,
        found.duplicates,
        found.out_of_order,
        found.gaps,
        found.gap_bytes,
        found.cut_packets,
        found.conflicts,
        found.zero_windows,
        found.mss,
    ) = values
    return found


def _batch(values: Packed) -> Batch:
    batch = Batch.__new__(Batch)
    for name, value in zip(Batch.__slots__, values, strict=True):
        setattr(batch, name, value)
    return batch


def _tls(values: Packed | None) -> TlsDescription | None:
    if values is None:
        return None
    described = TlsDescription(*values)
    if described.alert is not None:
        described.alert = Alert(*described.alert)
    return described


def _filled(length: int, kept: Sequence[tuple[int, bytes]]) -> bytes:
    """Give so many bytes with what was kept of them in its place; parts of it may overlap."""
    parts: list[bytes | memoryview] = []
    end = 0
    for start, content in (*kept, (length, b"")):
        whole, rest = divmod(max(start - end, 0), len(_FILLER))
        parts += [_FILLER] * whole
        parts += _FILLER[:rest], content[max(end - start, 0) :]
        end = max(end, start + len(content))
    return b"".join(parts)
