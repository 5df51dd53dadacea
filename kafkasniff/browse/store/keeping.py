"""Writes calls into the files of `layout`."""

import json
import os
from typing import Any

from kafkasniff.browse.store.layout import (
    HAS_HEADER,
    HAS_MORE,
    HAS_REQUEST,
    HAS_RESPONSE,
    HEAD,
    LENGTH,
    NO_FRAME,
    OUTCOME_NUMBERS,
    PLACE,
    REQUEST_LIMITED,
    RESPONSE_LIMITED,
    CallFiles,
)
from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context
from kafkasniff.calls.enrichment.fetch_sessions import as_decoded
from kafkasniff.calls.frame import Frame
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import read_request_header
from kafkasniff.render.text.repeats import Repeats
from kafkasniff.tcp.events import Connection

_MOST_REMEMBERED = 10_000
"""Facts that are remembered to be written; beyond it, some are written twice."""


class CallKeeper:
    """Writes calls in their order."""

    def __init__(self, files: CallFiles) -> None:
        """Write to `files`, which are empty."""
        self._files = files
        self.count = 0
        """How many calls were taken."""
        self._calls: list[bytes] = []
        self._places: list[bytes] = []
        self._facts: list[bytes] = []
        self._end = 0
        """Of all calls that were taken."""
        self._facts_end = 1
        self._repeats = Repeats()
        self._interfaces: dict[Interface, int] = {}
        self._connections: dict[Connection, int] = {}
        self._origins: dict[tuple[Any, ...], int] = {}
        self._contexts: dict[tuple[int, int], tuple[int, Context, object]] = {}
        self._names: dict[str, int] = {}
        """Topic ids whose names were written, with how many were before."""
        self._names_place = 0

    def keep(self, call: Call) -> None:
        """Take a call; `write` makes it seen."""
        request, response, ended = call.request, call.response, call.ended
        repeated = self._repeats.take(call)
        more: dict[str, Any] = {}
        flags = 0
        packets = b""
        head: tuple[int, ...] = NO_FRAME
        answer: tuple[int, ...] = NO_FRAME
        interface = ended.interface
        if request is not None:
            flags |= HAS_REQUEST | (REQUEST_LIMITED if request.limited else 0)
            head, packets = self._frame(request, interface, "request", more)
            header = call.header
            try:
                read = read_request_header(request.data)
            except ProtocolError:
                read = None
            if read is not None and read == header:
                flags |= HAS_HEADER
            elif header is not None:
                more["header"] = header.fields()
        if response is not None:
            flags |= HAS_RESPONSE | (RESPONSE_LIMITED if response.limited else 0)
            answer, others = self._frame(response, interface, "response", more)
            packets += others
        if call.pairing_problems:
            more["problems"] = [tuple(problem) for problem in call.pairing_problems]
        extra = b""
        if more:
            flags |= HAS_MORE
            extra = _as_json(more)
        self._calls += (
            HEAD.pack(
                self._origin(call), self._context(call), self._interface(interface),
                OUTCOME_NUMBERS[call.outcome], flags, ended.time, ended.packet,
                0 if repeated is None else repeated.number, -1 if call.pending_ns is None else call.pending_ns,
                *head, *answer, len(extra),
            ),
            packets,
            b"" if request is None else request.data,
            b"" if response is None else response.data,
            extra,
        )  # fmt: skip
        self.count += 1
        self._places.append(PLACE.pack(self._end))
        self._end += HEAD.size + len(packets) + head[1] + answer[1] + len(extra)

    def write(self) -> None:
        """Write what was taken, so that others see it. Raises OSError where there is no room."""
        for descriptor, parts in (
            (self._files.facts, self._facts),
            (self._files.calls, self._calls),
            (self._files.places, self._places),
        ):
            view = memoryview(b"".join(parts))
            while view:
                view = view[os.write(descriptor, view) :]
            parts.clear()

    def _frame(
        self, frame: Frame, interface: Interface, side: str, more: dict[str, Any]
    ) -> tuple[tuple[int, ...], bytes]:
        """Give what the head has of a frame, and the numbers of its packets where there are several."""
        first, last, carried = frame.first, frame.last, frame.packets
        packets: tuple[Arrival, ...] = () if len(carried) == 1 and carried[0] is last else carried
        if any(each.interface is not interface for each in (first, last, *packets)):
            more[f"{side}Interfaces"] = [self._interface(each.interface) for each in (first, last, *packets)]
        numbers = b"".join([PLACE.pack(each.packet) for each in packets])
        return (
            frame.size, len(frame.data), first.time, first.packet, last.time, last.packet, frame.stream_offset,
            len(packets),
        ), numbers  # fmt: skip

    def _fact(self, fact: Any) -> int:
        """Take a fact, and give its place."""
        data = _as_json(fact)
        place = self._facts_end
        self._facts.append(LENGTH.pack(len(data)) + data)
        self._facts_end += LENGTH.size + len(data)
        return place

    def _interface(self, interface: Interface) -> int:
        place = self._interfaces.get(interface)
        if place is None:
            values = [interface.link_type, interface.time_digits, interface.snap_length, interface.name]
            place = self._interfaces[interface] = self._fact([interface.file, *values])
        return place

    def _connection(self, connection: Connection) -> int:
        place = self._connections.get(connection)
        if place is None:
            if len(self._connections) >= _MOST_REMEMBERED:
                self._connections.clear()
            first = connection.first
            arrival = [first.time, first.packet, self._interface(first.interface)]
            ends = [[*endpoint] for endpoint in connection.endpoints]
            fact = [ends, connection.epoch, arrival, connection.initiator]
            place = self._connections[connection] = self._fact(fact)
        return place

    def _origin(self, call: Call) -> int:
        key = (
            call.connection, call.client, call.security_protocol, call.principal, call.software_name,
            call.software_version, call.show_secrets,
        )  # fmt: skip
        place = self._origins.get(key)
        if place is None:
            if len(self._origins) >= _MOST_REMEMBERED:
                self._origins.clear()
            fact = [self._connection(call.connection), call.client, call.server, *key[2:]]
            place = self._origins[key] = self._fact(fact)
        return place

    def _context(self, call: Call) -> int:
        context, step = call.context, call.fetch_session
        covered = None if step is None else step.covered()
        key = (id(context), id(covered))
        known = self._contexts.get(key)
        if known is not None:
            return known[0]
        tokens = context.tokens
        if step is not None and (decoded := as_decoded(step)) is not None:
            tokens = (decoded,)
        topics = context.topics.known()
        if new := {topic_id: name for topic_id, name in topics.items() if topic_id not in self._names}:
            for topic_id in new:
                self._names[topic_id] = len(self._names)
            self._names_place = self._fact([self._names_place, {each: [new[each], self._names[each]] for each in new}])
        group = context.group_protocol
        place = self._fact([self._names_place, len(self._names), group.type, group.name, tokens])
        if len(self._contexts) >= _MOST_REMEMBERED:
            self._contexts.clear()
        # What is named by its id must live as long.
        self._contexts[key] = place, context, covered
        return place


def _as_json(fact: Any) -> bytes:
    # Not by orjson, which refuses names of files that are no Unicode.
    return json.dumps(fact, separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    """Give what JSON has no value for."""
    return [*value] if isinstance(value, (set, frozenset)) else str(value)
