"""What lies inside the bodies of a call: record batches, and messages within the message."""

from typing import Any, Final

from kafkasniff.calls.context import Context
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.api_keys import ENVELOPE, FETCH_SNAPSHOT, PUSH_TELEMETRY
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import DecodedBody, decode_body
from kafkasniff.protocol.bodies.scanning import ScannedBody
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.embedded.entries import Opened
from kafkasniff.protocol.embedded.openers import HOLDING_MESSAGES, open_embedded
from kafkasniff.protocol.errors import Problem, ProtocolError
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.headers import RequestHeader, is_known, read_response_header, response_header_version
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.batches import Batch, as_json, read_batches
from kafkasniff.tcp.events import Connection

HOLDING_APIS = frozenset({ENVELOPE, FETCH_SNAPSHOT, *(key for key, _ in HOLDING_MESSAGES)})
"""APIs whose bodies may hold messages."""


class Contents:
    """What was found inside."""

    __slots__ = ("batches", "decoded", "problems", "records")

    def __init__(
        self,
        batches: list[tuple[Kind, str, Batch]] | None = None,
        records: list[list[dict[str, Any]]] | None = None,
        decoded: list[dict[str, Any]] | None = None,
        problems: list[Problem] | None = None,
    ) -> None:
        """Begin with what was found so far."""
        self.batches = [] if batches is None else batches
        """Each with the path of its field."""
        self.records = [] if records is None else records
        """Of each batch in the form of the JSON lines; empty unless asked for."""
        self.decoded = [] if decoded is None else decoded
        """In the form of the JSON lines."""
        self.problems = [] if problems is None else problems


NOTHING: Final = Contents()
"""Of all calls in whose bodies nothing lies; not to be changed."""

SOUND: Final = Contents()
"""Of all calls of whose batches only the totals were read, and that have no problem; not to be changed."""


def is_plain(scan: ScannedBody | None, body: DecodedBody | None) -> bool:
    """Tell whether a body has been read and has neither problems nor records."""
    if scan is not None:
        return not scan.records
    return body is not None and not body.problems and not body.records


def decode_request(header: RequestHeader, frame: Frame, context: Context, show_secrets: bool) -> DecodedBody:
    """Decode the body of a request."""
    return _decode(header, frame, "request", header.end, context, show_secrets)


def decode_response(header: RequestHeader, frame: Frame, context: Context, show_secrets: bool) -> DecodedBody:
    """Decode the body of a response, whose request had `header`."""
    try:
        end = read_response_header(frame.data, response_header_version(header.api_key, header.api_version))[1]
    except ProtocolError as error:
        problem = (error.offset, error.path, error.message)
        # Of a layout that is not known the request's problem says so.
        problems: list[tuple[int | None, str, str]] = [problem] if is_known(*header.layout) else []
        return DecodedBody(header.api_version, None, problems=problems)
    return _decode(header, frame, "response", end, context, show_secrets)


def _decode(
    header: RequestHeader, frame: Frame, side: Kind, offset: int, context: Context, show_secrets: bool
) -> DecodedBody:
    key = header.api_key
    body = decode_body(key, header.api_version, side, frame.data, offset, context.limits.elements)
    if not frame.whole:
        body.partial = body.value or body.partial
        body.value = None
        if not frame.limited:
            message = f"{len(frame.data)} of the message's {frame.size} bytes are there"
            body.problems.append((len(frame.data), "", message))
    if not show_secrets:
        from kafkasniff.protocol.secrets.messages import may_hold_secrets, redact, redact_damaged

        for tree in (body.value, body.partial):
            if tree is not None:
                redact(key, side, tree)
        if frame.whole and body.partial is not None and may_hold_secrets(key):
            redact_damaged(body.partial)
    return body


def opens_values(side: Kind, api_key: int, context: Context) -> bool:
    """Tell whether `open_side` needs the values of a body; of others a scan is enough."""
    return (api_key, side) in HOLDING_MESSAGES or context.records or api_key == FETCH_SNAPSHOT


def open_side(
    side: Kind,
    api_key: int,
    data: bytes,
    body: ScannedBody | DecodedBody | None,
    context: Context,
    connection: Connection,
    show_secrets: bool,
    into: Contents,
) -> None:
    """Open what lies in a body, read from `data`, the content of a frame."""
    if isinstance(body, DecodedBody):
        into.problems += [Problem(side, offset, path, message) for offset, path, message in body.problems]
        open_messages(side, api_key, body, context, connection, into)
    if body is None or not body.records:
        return
    fields = body.records
    if api_key == FETCH_SNAPSHOT and isinstance(body, DecodedBody) and body.value is not None:
        from kafkasniff.protocol.embedded.snapshots import whole_batches

        fields = whole_batches(body.value, data, fields)
    open_batches(side, data, fields, into)
    if context.records and isinstance(body, DecodedBody):
        from kafkasniff.calls.records import open_records

        open_records(side, data, body.value or body.partial or {}, context, show_secrets, into)


def open_batches(side: Kind, data: bytes, fields: list[RecordsField], into: Contents) -> None:
    """Read the headers of the record batches in the `records` fields of a body in `data`, the content of a frame."""
    for path, start, end in fields:
        batches, problems = read_batches(data, start, end, side=side)
        for batch in batches:
            into.batches.append((side, path, batch))
        for offset, inner, message in problems:
            into.problems.append(Problem(side, offset, path + inner, message))


def batches_as_json(contents: Contents) -> list[dict[str, Any]]:
    """Give the batches in the form of the JSON lines, with their records where these were read."""
    found = [{"where": side, "path": path, **as_json(batch)} for side, path, batch in contents.batches]
    for item, records in zip(found, contents.records, strict=False):
        item["records"] = records
    return found


def open_messages(
    side: Kind, api_key: int, body: DecodedBody, context: Context, connection: Connection, into: Contents
) -> None:
    """Open the messages within a body; `context` says what the wire does not."""
    if api_key == PUSH_TELEMETRY and not context.metrics:
        return
    if (api_key, side) in HOLDING_MESSAGES and body.value is not None:
        of_group = context.group_protocol
        opened = open_embedded(
            side,
            api_key,
            body.version,
            body.value,
            protocol_type=of_group.type,
            protocol_name=of_group.name,
            depth=context.limits.depth,
            allowances=context.spending.metrics(connection) if api_key == PUSH_TELEMETRY else (),
        )
        add_opened(side, "", opened, into)


def add_opened(side: Kind, place: str, opened: Opened, into: Contents) -> None:
    """Add messages that were found within a message, and what is wrong with them; `place` goes before their paths."""
    for path, name, version, value, partial in opened.embedded:
        entry = {"where": side, "path": place + path, "type": name, "version": version, "value": value}
        if partial is not None:
            entry["partial"] = partial
        into.decoded.append(entry)
    # An offset inside the message would be mistaken for one in the frame.
    into.problems += [Problem(side, None, place + path, message) for path, message in opened.problems]


def open_envelope(
    header: RequestHeader, request: bytes, response: bytes | None, show_secrets: bool, into: Contents
) -> None:
    """Open the request and the response that an Envelope forwards (KIP-590), from the contents of its frames."""
    from kafkasniff.protocol.envelope import open_request, open_response

    outer = decode_body(ENVELOPE, header.api_version, "request", request, header.end).value
    if outer is None:
        return
    try:
        inner = open_request(outer)
    except ProtocolError as error:
        into.problems.append(Problem("request", None, "requestData", str(error)))
        return
    entry = _entry("request", inner.header.api_key, inner.body, show_secrets, into)
    known = APIS.get(inner.header.api_key)
    entry["requestHeader"] = {
        "requestApiKey": inner.header.api_key,
        "requestApiKeyName": known.name if known is not None else None,
        "requestApiVersion": inner.header.api_version,
        "correlationId": inner.header.correlation_id,
        "clientId": inner.header.client_id,
    }
    entry["value"] = entry.pop("value")
    if response is None:
        return
    try:
        end = read_response_header(response, response_header_version(ENVELOPE, header.api_version))[1]
        answer = decode_body(ENVELOPE, header.api_version, "response", response, end).value
        if answer is not None and answer["responseData"] is not None:
            body = open_response(answer, inner.header).body
            _entry("response", inner.header.api_key, body, show_secrets, into)
    except ProtocolError as error:
        into.problems.append(Problem("response", None, "responseData", str(error)))


def _entry(side: Kind, api_key: int, body: DecodedBody, show_secrets: bool, into: Contents) -> dict[str, Any]:
    from kafkasniff.protocol.secrets.messages import redact

    path = f"{side}Data"
    for _, inner, message in body.problems:
        # Offsets inside the inner message would be mistaken for offsets in the frame.
        into.problems.append(Problem(side, None, f"{path}.{inner}" if inner else path, message))
    if body.value is not None and not show_secrets:
        redact(api_key, side, body.value)
    entry = {
        "where": side,
        "path": path,
        "type": api_definition(api_key, side).name if api_key in APIS else None,
        "version": body.version,
        "value": body.value,
    }
    into.decoded.append(entry)
    return entry
