"""What the engine gives, as rows of the tables."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.records.content import raw_bytes
from kafkasniff.tables.bodies import RACK, SETTINGS, Body, body_of, names_in
from kafkasniff.tables.topic_partitions import TopicPartition, topic_partition_of
from kafkasniff.tcp.events import DirectionCounters
from kafkasniff.wording import failure_text, file_name

if TYPE_CHECKING:  # captures without TLS should not wait for it
    from kafkasniff.tcp.tls.description import TlsDescription

Row = tuple[Any, ...]
Placed = tuple[str, int, Row]
"""Name of a table, the time in ns since 1970 that its date is taken from, and a row."""

_NOWHERE = TopicPartition(None, None)
_SIDES: tuple[Kind, Kind] = ("request", "response")


def time_of(item: Item) -> int:
    """Give the time by which something is asked for: of a call its beginning, of all else its end (ns)."""
    if isinstance(item, Call):
        return item.time.time
    return item.last.time if isinstance(item, ConnectionReport) else item.arrival.time


def item_rows(vantage: str, item: Item, records: bool) -> Iterator[Placed]:
    """Give the rows of all tables that come of what the engine gave; `records` also those of records."""
    if isinstance(item, Call):
        try:
            # All of them first: a call has either its rows or the one that says why not.
            rows = [*call_rows(vantage, item, records)]
        except Exception as error:
            problems = [*(problem.message for problem in item.pairing_problems), failure_text(error)]
            rows = [_call_row(item, call_key(vantage, item), Told(None, [], [], [], problems))]
        yield from rows
    elif isinstance(item, ConnectionReport):
        yield connection_row(vantage, item)


class Told(NamedTuple):
    """What the bodies of a call tell for its row in `calls`."""

    version: int | None
    topics: Sequence[str]
    groups: Sequence[str]
    error_names: Sequence[str]
    problems: Sequence[str]
    settings: Sequence[int | None] = (None,) * len(SETTINGS)
    rack: str | None = None


def told_of(call: Call) -> Told:
    """Read the bodies of a call for its row; of one that cannot be shown, the last problem is the reason."""
    try:
        return _told(call, {side: body_of(call, side) for side in _SIDES})
    except Exception as error:
        return Told(None, (), (), (), [*(problem.message for problem in call.pairing_problems), failure_text(error)])


def _told(call: Call, bodies: dict[Kind, Body | None]) -> Told:
    topics, groups = _named(call, bodies)
    answered = bodies["response"]
    names = list(dict.fromkeys(error.name for error in call.errors))
    problems = [problem.message for problem in call.problems]
    # What does not fit its layout has other fields than it seems (`diagnose.facts.whole_bodies.response_of`).
    doubtful = any(problem.where == "response" for problem in call.problems)
    values = [
        body.value
        for side, body in bodies.items()
        if body is not None and body.value is not None and not (doubtful and side == "response")
    ]
    settings = [next((value[name] for value in values if name in value), None) for name in SETTINGS]
    rack = next((value[RACK] for value in values if value.get(RACK)), None)
    version = None if answered is None else answered.version
    return Told(version, topics, groups, names, problems, settings, rack)


def call_rows(vantage: str, call: Call, records: bool) -> Iterator[Placed]:
    """Give the rows that a call makes in all tables."""
    time, key = call.time.time, call_key(vantage, call)
    bodies = {side: body_of(call, side) for side in _SIDES}
    errors = call.errors
    yield _call_row(call, key, _told(call, bodies))
    names = call.context.topics
    for error in errors:
        place = topic_partition_of(_tree(call, error.where), error.path, names)
        yield "errors", time, (*key, error.where, error.path, *place, error.code, error.name)
    last_path, place = "", _NOWHERE
    for batch in call.batches if call.batch_headers else ():
        if (path := batch["path"]) != last_path:
            body = bodies[batch["where"]]
            tree = _tree(call, batch["where"]) if body is None or body.value is None else body.value
            last_path, place = path, topic_partition_of(tree, path, names)
        where = (*key, batch["where"], path, *place)
        plain = batch["sizeInBytes"] if batch["compression"] == "none" else None
        yield "batches", time, (*where, *(batch[name] for name in BATCH_FIELDS), plain)
        for record in batch["records"] if records else ():
            yield "records", time, (*where, *_record(record))


def call_key(vantage: str, call: Call) -> Row:
    """Give the columns that the rows of a call have in all tables."""
    frame = call.request or call.response
    assert frame is not None
    time = call.time.time
    return (
        vantage,
        f"{call.client}-{call.server}",
        call.connection.epoch,
        "request" if call.request is not None else "response",
        frame.stream_offset,
        time // 1000,
        time,
        call.client,
        call.client.rpartition(":")[0],
        call.server,
        call.api_key,
        call.api_name,
        call.api_version,
        call.client_id,
    )


def _call_row(call: Call, key: Row, told: Told) -> Placed:
    """Give the row of a call in `calls`."""
    return (
        "calls",
        call.time.time,
        (
            *key,
            call.correlation_id,
            told.version,
            call.outcome,
            _milliseconds(call.total_ns),
            _milliseconds(call.response_delay_ns),
            _milliseconds(call.pending_ns),
            call.request.size if call.request else None,
            call.response.size if call.response else None,
            *_completed(call.request),
            *_completed(call.response),
            told.topics,
            told.groups,
            told.error_names,
            told.problems,
            call.security_protocol,
            call.principal,
            call.software_name,
            call.software_version,
            *told.settings,
            told.rack,
        ),
    )


BATCH_FIELDS = (
    "magic",
    "baseOffset",
    "lastOffset",
    "partitionLeaderEpoch",
    "compression",
    "timestampType",
    "baseTimestamp",
    "maxTimestamp",
    "producerId",
    "producerEpoch",
    "baseSequence",
    "isTransactional",
    "isControl",
    "recordCount",
    "sizeInBytes",
    "crcValid",
)
"""Of a batch in the JSON lines, in the order of the last columns of `batches` but one."""


def connection_row(vantage: str, report: ConnectionReport) -> Placed:
    """Give the row of a connection that ended."""
    connection, tls = report.connection, report.tls
    first, last = connection.first, connection.last
    from_client = 0 if str(connection.endpoints[0]) == report.client else 1
    ended_by = connection.ended_direction
    row = (
        vantage,
        f"{report.client}-{report.server}",
        connection.epoch,
        first.time // 1000,
        first.time,
        last.time // 1000,
        report.client,
        report.server,
        report.protocol,
        report.evidence,
        report.calls,
        *_counted(connection.counters[from_client]),
        *_counted(connection.counters[1 - from_client]),
        _milliseconds(connection.round_trip_ns),
        "mid-stream" if connection.initiator is None else "handshake",
        connection.ended_by,
        None if ended_by is None else "client" if ended_by == from_client else "server",
        file_name(first.interface.file),
        first.packet,
        file_name(last.interface.file),
        last.packet,
        *((None,) * 9 if tls is None else _tls_values(tls)),
        list(connection.tunnel),
    )
    return "connections", first.time, row


def _tls_values(tls: "TlsDescription") -> tuple[Any, ...]:
    certificates = (*_subject_and_end(tls.server_certificate), *_subject_and_end(tls.client_certificate))
    return (tls.version, tls.cipher, tls.server_name, tls.decrypted, tls.failure, *certificates)


@lru_cache(maxsize=1_024)
def _subject_and_end(der: bytes | None) -> tuple[str | None, int | None]:
    """Give whose a certificate is, and until when it is valid (µs since 1970)."""
    from kafkasniff.tcp.tls.description import read_certificate

    certificate = read_certificate(der)
    if certificate is None:
        return None, None
    return certificate.subject, int(certificate.expires.timestamp()) * 1_000_000


def file_row(
    vantage: str,
    path: str,
    size: int | None,
    times: tuple[int | None, int | None],
    counts: tuple[int, int, int | None],
    reason: str | None,
    modified_ns: int | None = None,
    head: bytes | None = None,
) -> Row:
    """Give the row of a file.

    `times` are those of its first and last packet in ns since 1970, `counts` its packets, cut packets and fragments
    that were not joined, None where nobody counted these; `reason` says why it was not read, or not to its end; `head`
    has its first bytes.
    """
    first, last = (None if time is None else time // 1000 for time in times)
    state = "read" if reason is None else "damaged" if counts[0] else "not read"
    return (
        file_name(vantage),
        file_name(path),
        size,
        modified_ns // 1000 if modified_ns else None,
        head,
        first,
        last,
        *counts,
        state,
        None if reason is None else file_name(reason),
    )


def _named(call: Call, bodies: dict[Kind, Body | None]) -> tuple[list[str], list[str]]:
    """Give the topics and the groups that a call names."""
    topics: dict[str, None] = {}
    groups: dict[str, None] = {}
    ids: dict[str, None] = {}
    if call.api_key is None:
        return [], []
    for side, body in bodies.items():
        if body is None or body.value is None:
            continue
        named = names_in(call.api_key, body.version, side, body.value)
        topics |= dict.fromkeys(named.topics)
        groups |= dict.fromkeys(named.groups)
        ids |= dict.fromkeys(named.topic_ids)
    topics |= dict.fromkeys(call.context.topics.of(ids).values())
    return [name for name in topics if name], [name for name in groups if name]


def _tree(call: Call, side: Kind) -> dict[str, Any]:
    """Give what there is of a body."""
    body = call.request_body if side == "request" else call.response_body
    return {} if body is None else body.value or body.partial or {}


def _record(record: dict[str, Any]) -> Row:
    headers = [{"key": header["key"], "value": raw_bytes(header, "value")} for header in record["headers"]]
    return record["offset"], record["timestamp"], raw_bytes(record, "key"), raw_bytes(record, "value"), headers


def _completed(frame: Frame | None) -> tuple[str | None, int | None]:
    """Give file and number of the packet that completed a message."""
    return (None, None) if frame is None else (file_name(frame.last.interface.file), frame.last.packet)


def _counted(counters: DirectionCounters) -> tuple[int, ...]:
    return (
        counters.packets,
        counters.data_bytes,
        counters.retransmissions,
        counters.out_of_order,
        counters.gaps,
        counters.gap_bytes,
        counters.cut_packets,
        counters.conflicts,
    )


def _milliseconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6
