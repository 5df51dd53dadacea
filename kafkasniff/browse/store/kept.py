"""Reads calls from the files of `layout`, and makes the lines of their list."""

import json
import os
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from kafkasniff.browse.store.layout import (
    HAS_HEADER,
    HAS_MORE,
    HAS_REQUEST,
    HAS_RESPONSE,
    HEAD,
    LENGTH,
    OUTCOMES,
    PLACE,
    REQUEST_LIMITED,
    RESPONSE_LIMITED,
    CallFiles,
)
from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context, GroupProtocol
from kafkasniff.calls.enrichment.topics import KnownNames
from kafkasniff.calls.frame import Frame
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import RequestHeader, read_request_header
from kafkasniff.protocol.limits import MessageLimits
from kafkasniff.tcp.events import Connection, Endpoint

_REMEMBERED = 4096
"""Facts of each kind that are kept in memory."""
_READ_BYTES = 1 << 20


class Wanted(NamedTuple):
    """How bodies are to be read."""

    records: bool = False
    limit_value: int | None = None
    limits: MessageLimits | None = None


class _Origin(NamedTuple):
    connection: Connection
    client: str
    server: str
    security_protocol: str
    principal: str | None
    software_name: str | None
    software_version: str | None
    show_secrets: bool


class KeptCalls:
    """The calls that were written so far, by their numbers from 1."""

    def __init__(self, files: CallFiles, wanted: Wanted = Wanted()) -> None:  # noqa: B008 (it cannot be changed)
        """Read `files`, of which another process writes more; bodies as `wanted`."""
        self._files = files
        self._wanted = wanted
        self._names: dict[str, tuple[str, int]] = {}
        """By topic id, with how many were learnt before."""
        self._names_until = 0
        """Up to which place facts about names were read."""
        remembered = lru_cache(_REMEMBERED)
        self._interface = remembered(self._read_interface)
        self._connection = remembered(self._read_connection)
        self._origin = remembered(self._read_origin)
        self._context = remembered(self._read_context)

    def __len__(self) -> int:
        """Give how many there are."""
        return self._files.count()

    def call(self, number: int) -> Call:
        """Give a call, as the engine gave it. Raises IndexError where there is none with this number."""
        if not 1 <= number <= len(self):
            raise IndexError(f"no call has the number {number}")
        places = os.pread(self._files.places, 2 * PLACE.size, (number - 1) * PLACE.size)
        begin = PLACE.unpack_from(places)[0]
        end = PLACE.unpack_from(places, PLACE.size)[0] if len(places) > PLACE.size else None
        size = (os.fstat(self._files.calls).st_size if end is None else end) - begin
        return self._made(number, _read(self._files.calls, begin, min(size, _READ_BYTES)), 0, begin)[0]

    def calls(self, first: int, last: int) -> Iterator[Call]:
        """Give the calls with these numbers and all between; they are read in pieces."""
        places = os.pread(self._files.places, PLACE.size, (first - 1) * PLACE.size)
        if len(places) < PLACE.size:
            return
        begin: int = PLACE.unpack(places)[0]
        data, at = b"", 0
        for number in range(first, min(last, len(self)) + 1):
            if len(data) - at < HEAD.size:
                begin += at
                data, at = _read(self._files.calls, begin, _READ_BYTES), 0
            call, after = self._made(number, data, at, begin)
            if after > len(data):
                begin += after
                data, at = b"", 0
            else:
                at = after
            yield call

    def repeated(self, number: int) -> int:
        """Give the number of the call that a call repeats; 0: none."""
        place = PLACE.unpack(os.pread(self._files.places, PLACE.size, (number - 1) * PLACE.size))[0]
        found: int = HEAD.unpack(os.pread(self._files.calls, HEAD.size, place))[7]
        return found

    def _made(self, number: int, data: bytes, at: int, begin: int) -> tuple[Call, int]:
        """Make the call whose head stands at `at` in `data`, which lies at `begin` in its file; give where it ends."""
        (
            origin_place, context_place, interface_place, outcome, flags, ended, ended_packet, _, pending,
            size, length, first, first_packet, last, last_packet, offset, packets,
            answer_size, answer_length, answer_first, answer_first_packet, answer_last, answer_last_packet,
            answer_offset, answer_packets, more_length,
        ) = HEAD.unpack_from(data, at)  # fmt: skip
        body = at + HEAD.size
        numbers = body
        message = numbers + (packets + answer_packets) * PLACE.size
        answer = message + length
        extra = answer + answer_length
        end = extra + more_length
        whole, start = data, 0
        if end > len(data):
            # A long one, or one at the end of a piece.
            whole, start = _read(self._files.calls, begin + body, end - body), body
        more: dict[str, Any] = json.loads(whole[extra - start : end - start]) if flags & HAS_MORE else {}
        interface = self._interface(interface_place)
        origin: _Origin = self._origin(origin_place)
        request = response = None
        header: RequestHeader | None = None
        if flags & HAS_REQUEST:
            interfaces = self._interfaces(more, "requestInterfaces", interface, packets)
            begins, ends = Arrival(first, first_packet, interfaces[0]), Arrival(last, last_packet, interfaces[1])
            carried = _packets(whole, numbers - start, ends, interfaces)
            kept = whole[message - start : answer - start]
            limited = bool(flags & REQUEST_LIMITED)
            request = Frame(size, kept, begins, ends, offset, None, carried, limited)
            if flags & HAS_HEADER:
                header = read_request_header(kept)
            elif "header" in more:
                header = RequestHeader(*more["header"])
            if header is not None:
                request.header = header
        if flags & HAS_RESPONSE:
            interfaces = self._interfaces(more, "responseInterfaces", interface, answer_packets)
            begins = Arrival(answer_first, answer_first_packet, interfaces[0])
            ends = Arrival(answer_last, answer_last_packet, interfaces[1])
            carried = _packets(whole, numbers - start + packets * PLACE.size, ends, interfaces)
            kept = whole[answer - start : extra - start]
            limited = bool(flags & RESPONSE_LIMITED)
            response = Frame(answer_size, kept, begins, ends, answer_offset, None, carried, limited)
        call = Call(
            origin.connection,
            origin.client,
            origin.server,
            request,
            response,
            header,
            OUTCOMES[outcome],
            Arrival(ended, ended_packet, interface),
            None if pending < 0 else pending,
            origin.security_protocol,
            origin.principal,
            origin.software_name,
            origin.software_version,
            origin.show_secrets,
            [Problem(*problem) for problem in more["problems"]] if "problems" in more else None,
            self._context(context_place),
        )
        call.number = number
        return call, end

    def _interfaces(self, more: dict[str, Any], name: str, interface: Interface, packets: int) -> list[Interface]:
        """Give the interfaces of the first and the last packet of a frame, and of all."""
        if name in more:
            return [self._interface(place) for place in more[name]]
        return [interface] * (2 + packets)

    def _fact(self, place: int) -> Any:
        length = LENGTH.unpack(_read(self._files.facts, place, LENGTH.size))[0]
        return json.loads(_read(self._files.facts, place + LENGTH.size, length))

    def _read_interface(self, place: int) -> Interface:
        return Interface(*self._fact(place))

    def _read_connection(self, place: int) -> Connection:
        ends, epoch, (time, packet, interface), initiator = self._fact(place)
        first = Arrival(time, packet, self._interface(interface))
        one, other = (Endpoint(*end) for end in ends)
        return Connection((one, other), epoch, first, first, initiator)

    def _read_origin(self, place: int) -> _Origin:
        connection, *others = self._fact(place)
        return _Origin(self._connection(connection), *others)

    def _read_context(self, place: int) -> Context:
        names, until, group_type, group_name, tokens = self._fact(place)
        self._learn(names)
        return Context(
            records=self._wanted.records,
            limit_value=self._wanted.limit_value,
            limits=self._wanted.limits,
            topics=KnownNames(self._names, until),
            group_protocol=GroupProtocol(group_type, group_name),
            tokens=tuple(tokens),
        )

    def _learn(self, place: int) -> None:
        """Take in the names that were learnt up to a place, each with those before it."""
        latest = place
        while place > self._names_until:
            place, names = self._fact(place)
            for topic_id, (name, before) in names.items():
                self._names[topic_id] = name, before
        self._names_until = max(self._names_until, latest)


def _packets(data: bytes, at: int, last: Arrival, interfaces: list[Interface]) -> tuple[Arrival, ...]:
    """Give the packets whose numbers stand at `at`: only the last one, where none do. Of the others no time is kept."""
    if len(interfaces) == 2:
        return (last,)
    return tuple(
        Arrival(last.time, PLACE.unpack_from(data, at + index * PLACE.size)[0], interface)
        for index, interface in enumerate(interfaces[2:])
    )


def _read(descriptor: int, place: int, size: int) -> bytes:
    """Read up to `size` bytes, fewer only at the end of the file."""
    data = os.pread(descriptor, size, place)
    while 0 < len(data) < size and (piece := os.pread(descriptor, size - len(data), place + len(data))):
        data += piece
    return data
