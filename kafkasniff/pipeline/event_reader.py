"""Reads compact events: gives what the engine gave, but for the contents of records."""

import pickle
from collections.abc import Mapping, Sequence
from io import BytesIO
from random import Random
from typing import Any

from kafkasniff.calls.call import Call, ConnectionReport, Frame, Gap
from kafkasniff.calls.contents import Contents
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.items import Item
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.diagnose.producers.produce import SAMPLED_BYTES
from kafkasniff.pipeline.events import LAST, Packed
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.protocol.records.batches import Batch
from kafkasniff.protocol.sasl.token import SaslToken
from kafkasniff.tcp.events import COUNTERS, Connection, DirectionCounters, Endpoint
from kafkasniff.tcp.tls.description import Alert, TlsDescription

_FILLER = memoryview(Random(0).randbytes(SAMPLED_BYTES) * 16)
"""Stands for contents that were not kept. It does not deflate: nobody is accused for what was not looked at."""

_NOBODY = Endpoint("0.0.0.0", 0)
_NOWHERE = Arrival(0, 0, Interface("", 0))
_SOME_CONNECTION = Connection((_NOBODY, _NOBODY), 0, _NOWHERE, _NOWHERE)


class EventReader:
    """Makes of events again what the engine gave, but for the contents of records."""

    __slots__ = ("_connections", "interfaces")

    def __init__(self, interfaces: Mapping[int, list[Interface]]) -> None:
        """Take the interfaces of each part, by its number."""
        self.interfaces = interfaces
        self._connections: dict[tuple[str, int, int], Connection] = {}

    def item(self, vantage: str, bucket: int, data: bytes) -> Item:
        """Give the item of an event; to be asked for in the order in which they were packed."""
        kind, number, state, packed = _unpacked(data)
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
            return ConnectionReport(connection, client, server, protocol, evidence, calls, self._at(last), start, tls)
        if kind == "gap":
            client, server, direction, length, arrival = packed
            return Gap(connection, client, server, direction, length, self._at(arrival))
        client, server, direction, size, arrival, token = packed
        return RawToken(connection, client, server, direction, size, self._at(arrival), token)

    def call_alone(self, data: bytes) -> Call:
        """Give the call of an event whose connection is not looked at, and is not that of the call."""
        packed = _unpacked(data)[-1]
        return self._call(_SOME_CONNECTION, packed)

    def take_over(self, other: "EventReader") -> None:
        """Know the open connections that another has read of, of other vantages."""
        self._connections |= other._connections

    def _at(self, packed: Packed) -> Arrival:
        time, packet, part, interface = packed
        return Arrival(time, packet, self.interfaces[part][interface])

    def _update(self, connection: Connection | None, state: Packed) -> Connection:
        ends, epoch, first, last, initiator, round_trip, ended_by, ended_direction, fin, tunnel, counters = state
        if connection is None:
            one, other = (Endpoint(*end) for end in ends)
            connection = Connection((one, other), epoch, self._at(first), self._at(last))
        connection.last = self._at(last)
        connection.initiator = initiator
        connection.round_trip_ns = round_trip
        connection.ended_by = ended_by
        connection.ended_direction = ended_direction
        connection.first_fin = None if fin is None else self._at(fin)
        connection.tunnel = tunnel
        first_counters, second_counters = (
            DirectionCounters(**dict(zip(COUNTERS, each, strict=True))) for each in counters
        )
        connection.counters = first_counters, second_counters
        return connection

    def _call(self, connection: Connection, packed: Packed) -> Call:
        client, server, request, response, header, outcome, ended, pending, security, *told, problems, batches = packed
        principal, software_name, software_version = told
        answer = self._frame(response)
        call = Call(
            connection,
            client,
            server,
            self._frame(request),
            answer,
            None if header is None else RequestHeader(*header),
            outcome,
            answer.last if answer is not None and response[LAST] is ended else self._at(ended),
            pending,
            security,
            principal,
            software_name,
            software_version,
            pairing_problems=problems,
        )
        if batches is not None:
            call._contents = Contents(batches=batches)
        return call

    def _frame(self, packed: Packed | None) -> Frame | None:
        if packed is None:
            return None
        size, data, first, last, offset, problems, limited = packed
        whole = data if isinstance(data, bytes) else _filled(*data)
        arrived = self._at(first)
        return Frame(size, whole, arrived, arrived if last is first else self._at(last), offset, problems, (), limited)


class _Unpickler(pickle.Unpickler):
    """Makes nothing but plain values and what events hold, whatever it reads (Python's "Restricting Globals")."""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _TYPES[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of an event") from None


_TYPES = {(each.__module__, each.__qualname__): each for each in (Alert, Batch, Problem, SaslToken, TlsDescription)}


def _unpacked(data: bytes) -> Packed:
    """Give what `EventPacker` packed. Raises pickle.UnpicklingError for other objects."""
    found: Packed = _Unpickler(BytesIO(data)).load()
    return found


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
