"""Calls made by hand, with their bodies as values, and what the rules make of them.

Rules see of a body what they ask for, and nothing else, as of a body that is scanned.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from kafkasniff.calls.call import Call, FieldError, Outcome
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.diagnose.catalogue import RULES_BY_ID
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.finding import Finding
from kafkasniff.protocol.bodies import DecodedBody
from kafkasniff.protocol.bodies.scanning import ScannedBody
from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from kafkasniff.protocol.headers import RequestHeader, response_header_version
from kafkasniff.tcp.events import Connection, Endpoint
from tools.hostile import wire

NOON = 1_795_176_000_000_000_000
SECOND = 1_000_000_000
INTERFACE = Interface("made.pcap", 1)
SERVER = Endpoint("10.0.0.2", 9092)

Item = Call | ConnectionReport

_HEADER = 10
"""Bytes of the header of a request, whatever is in it."""


def arrival(seconds: float) -> Arrival:
    """A packet so many seconds after noon; its number is its millisecond."""
    return Arrival(NOON + round(seconds * SECOND), 1 + round(seconds * 1000), INTERFACE)


def connection(port: int = 50_000, begin: float = 0, end: float = 1000, server: Endpoint = SERVER) -> Connection:
    """A connection from 10.0.0.1, whose SYN was seen, and which is open."""
    made = Connection((Endpoint("10.0.0.1", port), server), 0, arrival(begin), arrival(end), initiator=0)
    for counter in made.counters:
        counter.packets = 10
        counter.data_bytes = 1000
    return made


SHARED = connection()
"""The connection of calls that name no other."""


class MadeCall(Call):
    """A call whose bodies are given."""

    def scan_request(self, names: frozenset[str]) -> ScannedBody | None:
        return _scan(self._request_body, names, [])

    def scan_response(self, names: frozenset[str]) -> ScannedBody | None:
        return _scan(self._response_body, names, [(error.path, error.code) for error in self._errors or ()])


def _scan(body: DecodedBody | None, names: frozenset[str], errors: list[tuple[str, int]]) -> ScannedBody | None:
    if body is None or body.value is None:
        return None
    return ScannedBody(names, only(body.value, names), errors, body.records, sys.maxsize)


def only(value: Any, names: frozenset[str]) -> Any:
    """What a scan for the fields with these names gives of a body."""
    if isinstance(value, list):
        return [only(item, names) for item in value]
    if isinstance(value, dict):
        return {name: only(item, names) for name, item in value.items() if name.removesuffix("SizeInBytes") in names}
    return value


def call(
    key: int,
    version: int,
    request: dict[str, Any],
    response: dict[str, Any] | None = None,
    *,
    at: float = 0,
    took: float = 0.001,
    client_id: str | None = "shop",
    on: Connection = SHARED,
    outcome: Outcome | None = None,
    **more: Any,
) -> Call:
    """A call that begins `at` seconds and is answered (or given up) `took` seconds later."""
    begun, ended = arrival(at), arrival(at + took)
    answered = response is not None
    asked = bytes(_HEADER) + wire.body(key, version, "request", request)
    told = bytes(4 + response_header_version(key, version)) + wire.body(key, version, "response", response or {})
    made = MadeCall(
        on,
        str(on.endpoints[0]),
        str(on.endpoints[1]),
        Frame(len(asked), asked, begun, begun, 0),
        Frame(len(told), told, ended, ended, 0) if answered else None,
        RequestHeader(key, version, 1, client_id, 1, _HEADER),
        outcome or ("answered" if answered else "unanswered"),
        ended,
        **more,
    )
    made._request_body = DecodedBody(version, request)
    made._response_body = DecodedBody(version, response) if answered else None
    made._errors = list(errors_in(response or {}))
    return made


def errors_in(value: Any, path: str = "") -> Iterator[FieldError]:
    """The error codes of a response that are not 0."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from errors_in(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            inner = f"{path}.{name}" if path else name
            if name in ("errorCode", "partitionErrorCode") and item:
                yield FieldError("response", inner, item, ERROR_CODES[item].name)
            yield from errors_in(item, inner)


def report(
    on: Connection, protocol: str = "kafka", ended_by: str = "fin", ended_direction: int = 0, **more: Any
) -> ConnectionReport:
    """What a connection was, when it ends."""
    on.ended_by, on.ended_direction = ended_by, ended_direction
    client, server = map(str, on.endpoints)
    return ConnectionReport(on, client, server, protocol, "made by hand", 1, on.last, **more)


def findings(rule: str, items: Iterable[Item], **settings: float) -> list[Finding]:
    """What one rule finds, alone."""
    diagnosis = Diagnosis([RULES_BY_ID[rule]], {rule: settings})
    for item in items:
        diagnosis.feed(item)
    return diagnosis.findings()


def finding(rule: str, items: Iterable[Item]) -> Finding:
    """The one finding of a rule."""
    (found,) = findings(rule, items)
    assert found.rule == rule
    return found
