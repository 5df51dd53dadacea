"""The fields that filters know by names of their own; those of bodies are in `paths`."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from kafkasniff.calls.call import Call, Side
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.filters.bodies import SIDES, EntityReader, ErrorsReader, FieldsReader, Reader, RecordsReader
from kafkasniff.filters.predicates import BODY, HEADER, RECORDS
from kafkasniff.protocol.fields import Field as BodyField

_PARTITION_NUMBERS: Final = frozenset({"partition", "partitionIndex", "partitionId"})
_PARTITION_LISTS: Final = frozenset({"partitions", "partitionIndexes"})


class Field(NamedTuple):
    """A field of calls."""

    name: str
    kind: str
    """What its values are: `text`, `address`, `connection`, `api`, `error`, `choice`, or a unit of numbers:
    `number`, `port`, `duration`, `size`, `time`."""
    meaning: str
    read: Callable[[Any], Any]
    """Gives its value in a call, None where there is none; or all of them, where it has several."""
    is_many: bool = False
    cost: int = HEADER
    of_calls: bool = True
    """Whether only calls have it."""
    plural: str = ""
    """What its values are called where none matches."""
    choices: tuple[str, ...] = ()

    def text(self) -> str:
        """Say what it is, and what it may be."""
        return f"{self.meaning}: {', '.join(self.choices)}" if self.choices else self.meaning


OUTCOMES: Final = ("answered", "no-response-expected", "unanswered", "response-not-captured", "request-not-captured")
SECURITY_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


def _latency(call: Call) -> int | None:
    return call.pending_ns if call.total_ns is None else call.total_ns


def _size(call: Call) -> int:
    return sum(frame.size for frame in (call.request, call.response) if frame is not None)


def _time(item: Any) -> int:
    """Give when a call began, and when anything else was seen."""
    if isinstance(item, Call):
        return item.time.time
    arrival = item.last if isinstance(item, ConnectionReport) else item.arrival
    time: int = arrival.time
    return time


def _ended(item: Any) -> int:
    """Give when a call ended, and when anything else was seen."""
    time: int = item.ended.time if isinstance(item, Call) else _time(item)
    return time


def _packets(call: Call) -> list[int]:
    return [frame.last.packet for frame in (call.request, call.response) if frame is not None]


def _problems(call: Call) -> list[str]:
    # What scans and totals find to be sound is not opened.
    call.scan_request(_NO_FIELDS)
    call.scan_response(_NO_FIELDS)
    if call.api_key in _WITH_RECORDS:
        call.record_totals(_WITH_RECORDS[call.api_key])
    return [problem.message for problem in call.problems]


_WITH_RECORDS: Final[dict[int | None, Side]] = {0: "request", 1: "response", 59: "response", 78: "response"}
"""Produce, Fetch, FetchSnapshot and ShareFetch, with the side that has batches."""
_NO_FIELDS: Final[frozenset[str]] = frozenset()


def _is_partition(path: tuple[BodyField, ...]) -> bool:
    field = path[-1]
    if field.element_type != "int32":
        return False
    if field.is_array:
        return field.name in _PARTITION_LISTS
    in_partition = len(path) > 1 and path[-2].name.startswith("partition")
    return field.name in _PARTITION_NUMBERS or (field.name == "index" and in_partition)


def _body_field(side: str, name: str) -> Callable[[Call], Any]:
    """Give what reads a field of bodies that is in no struct."""
    only = [each for each in SIDES if each == side]
    return _first(FieldsReader(only, lambda path: len(path) == 1 and path[0].name == name))


def _first(read: Reader) -> Callable[[Call], Any]:
    """Give what gives the value of a field that a call has once at most."""

    def first(call: Call) -> Any:
        found = read(call)
        return found[0] if found else None

    return first


def _throttle(call: Call) -> int | None:
    milliseconds = _throttle_ms(call)
    return None if milliseconds is None else milliseconds * 1_000_000


_throttle_ms = _body_field("response", "throttleTimeMs")

FIELDS: Final[dict[str, Field]] = {
    field.name: field
    for field in (
        Field("api", "api", "the API, by its name in any form or its key", lambda call: call.api_key, plural="APIs"),
        Field("version", "number", "the request's version", lambda call: call.api_version),
        Field("client_id", "text", "the client id", lambda call: call.client_id, plural="client ids"),
        Field(
            "client", "address", "the client's address: IP, IP:port, network (`10.0.0.0/8`) or glob",
            lambda item: item.client, of_calls=False, plural="clients",
        ),
        Field("server", "address", "the server's address", lambda item: item.server, of_calls=False, plural="servers"),
        Field(
            "host", "address", "the address of either", lambda item: (item.client, item.server), True, of_calls=False,
            plural="addresses",
        ),
        Field(
            "port", "port", "the port of either",
            lambda item: [int(end.rpartition(":")[2]) for end in (item.client, item.server)], True, of_calls=False,
        ),
        Field(
            "connection", "connection", "`client-server`, as in the JSON lines; each side as for `client`",
            lambda item: f"{item.client}-{item.server}", of_calls=False, plural="connections",
        ),
        Field(
            "time", "time", "when the call began: ISO 8601 (UTC), a clock time of the capture's first day, or `+5s`"
            " from its first packet; compared with as many digits of a second as are written", _time, of_calls=False,
        ),
        Field("ended", "time", "when it ended", _ended, of_calls=False),
        Field(
            "latency", "duration", "from the request's first byte to the response's last; of a call whose answer was"
            " not captured, how long it was known to be out", _latency,
        ),
        Field("size", "size", "bytes of request and response together", _size),
        Field("request_size", "size", "bytes of the request", lambda call: call.request and call.request.size),
        Field("response_size", "size", "bytes of the response", lambda call: call.response and call.response.size),
        Field(
            "outcome", "choice", "what became of the call", lambda call: call.outcome, plural="outcomes",
            choices=OUTCOMES,
        ),
        Field("correlation_id", "number", "the correlation id", lambda call: call.correlation_id),
        Field("packet", "number", "the packet that completed the request, or the response", _packets, True),
        Field("principal", "text", "who logged in on the connection", lambda call: call.principal, plural="principals"),
        Field("software", "text", "the client's software", lambda call: call.software_name, plural="clients' software"),
        Field(
            "software_version", "text", "the version of that software", lambda call: call.software_version,
            plural="versions of software",
        ),
        Field(
            "security", "choice", "how the connection is secured", lambda call: call.security_protocol,
            plural="security protocols", choices=SECURITY_PROTOCOLS,
        ),
        Field("topic", "text", "a topic that the call names", EntityReader("topicName"), True, BODY, plural="topics"),
        Field(
            "partition", "number", "a partition that the call names", FieldsReader(SIDES, _is_partition), True, BODY,
        ),
        Field("group", "text", "a group that the call names", EntityReader("groupId"), True, BODY, plural="groups"),
        Field(
            "transactional_id", "text", "a transactional id that the call names", EntityReader("transactionalId"),
            True, BODY, plural="transactional ids",
        ),
        Field(
            "error", "error", "an error in the call, by its name in any form or its code",
            ErrorsReader(), True, BODY, plural="errors",
        ),
        Field("acks", "number", "what a Produce waits for: 0, 1 or all", _body_field("request", "acks"), cost=BODY),
        Field("throttle", "duration", "how long the broker throttles the client", _throttle, cost=BODY),
        Field("records", "number", "records in the call's batches", _first(RecordsReader()), cost=RECORDS),
        Field(
            "problem", "text", "what is wrong with the call's messages",
            _problems, True, RECORDS, plural="problems",
        ),
    )
}  # fmt: skip

BODY_FIELDS: Final = (
    ("request.PATH", "any field of the request's body as Kafka's JSON has it, such as request.acks"),
    ("response.PATH", "and of the response's, such as response.topics[].errorCode: `kafkasniff apis` shows them"),
)
"""How the others are named, and what they are."""
