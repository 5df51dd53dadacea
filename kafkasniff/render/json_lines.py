"""Calls, gaps and connections as JSON, one object a line (fields: docs/json.md)."""

from typing import Any

import orjson

from kafkasniff.calls.authentication import RawToken, token_value
from kafkasniff.calls.call import Call, ConnectionReport, FieldError, Frame, Gap, Side
from kafkasniff.calls.contents import Contents, batches_as_json, open_batches
from kafkasniff.calls.items import Item
from kafkasniff.calls.records import open_records
from kafkasniff.protocol.bodies.json_text import JsonBody
from kafkasniff.protocol.error_codes import error_name
from kafkasniff.protocol.errors import Problem
from kafkasniff.render.call_json import (
    batches_text,
    client_text,
    file_text,
    found_members,
    is_plain,
    layout_of,
    members_text,
    milliseconds_text,
    named_text,
    plain_text,
)
from kafkasniff.render.json_text import safe_line
from kafkasniff.render.text import file_name
from kafkasniff.render.times import utc_text
from kafkasniff.tcp.events import DirectionCounters
from kafkasniff.tcp.tls.description import Alert, TlsDescription, read_certificate

_LINE = orjson.OPT_APPEND_NEWLINE


def call_line(call: Call) -> bytes:
    """Give a call as one line of JSON, with its newline."""
    header, request, response = call.header, call.request, call.response
    if header is None or request is None or len(request.data) != request.size:
        return _decoded_line(call)
    layout = layout_of(header.api_key, header.api_version, call.show_secrets)
    if layout is None:
        return _decoded_line(call)
    most_elements = call.context.limits.elements
    if response is None:
        asked = layout.read_request(request.data, header.end, most_elements)
        if asked is None:
            return _decoded_line(call)
        return _line(call, asked.text, b"null", "null", "", _found_text(call, request.data, asked, b"", None))
    bodies = None
    if len(response.data) == response.size:
        bodies = layout.read(request.data, header.end, response.data, most_elements)
    if bodies is None:
        return _decoded_line(call)
    asked, answered = bodies
    found = _found_text(call, request.data, asked, response.data, answered)
    return _line(call, asked.text, answered.text, layout.version, "", found)


def _line(call: Call, request_text: bytes, response_text: bytes, version: str, partial: str, found: str) -> bytes:
    """Put a line together: what stands in it beside the bodies is the same for all calls."""
    request, response = call.request, call.response
    pending = "" if call.pending_ns is None else f',"pendingMs":{milliseconds_text(call.pending_ns)}'
    client = client_text(call.security_protocol, call.principal, call.software_name, call.software_version)
    if request is not None and response is not None:
        first, _, interface = request.first
        asked, asked_packet, asked_interface = request.last
        answered, answered_packet, answered_interface = response.last
        ends = (
            f',"totalTimeMs":{milliseconds_text(answered - first)}'
            f',"responseDelayMs":{milliseconds_text(response.first[0] - asked)}'
            f',"requestSizeBytes":{request.size},"responseSizeBytes":{response.size}'
            f',"requestFile":{file_text(asked_interface)},"requestPacket":{asked_packet}'
            f',"responseFile":{file_text(answered_interface)},"responsePacket":{answered_packet}'
        )
    else:
        first, _, interface = call.time
        ends = _one_sided_text(request, response)
    start = (
        f'{{"type":"call","time":"{utc_text(first, interface.time_digits)}","connection":"{call.client}-{call.server}",'
        f'"client":"{call.client}","server":"{call.server}","requestHeader":{_header_text(call)},"request":'
    )
    end = f',"responseApiVersion":{version}{partial},"outcome":"{call.outcome}"{pending}{ends}{found}{client}}}\n'
    return safe_line(b"".join((start.encode(), request_text, b',"response":', response_text, end.encode())))


def _one_sided_text(request: Frame | None, response: Frame | None) -> str:
    """Give times, sizes and places of a call without a request or a response."""
    sizes = ",".join(
        f'"{side}SizeBytes":{"null" if frame is None else frame.size}'
        for side, frame in (("request", request), ("response", response))
    )
    places = ",".join(
        f'"{side}File":null,"{side}Packet":null'
        if frame is None
        else f'"{side}File":{file_text(frame.last.interface)},"{side}Packet":{frame.last.packet}'
        for side, frame in (("request", request), ("response", response))
    )
    return f',"totalTimeMs":null,"responseDelayMs":null,{sizes},{places}'


def _decoded_line(call: Call) -> bytes:
    """Give the line of a call by way of its decoded bodies, which tell all that may be wrong with them."""
    request, response = call.request_body, call.response_body
    partial = {
        f"{side}Partial": body.partial
        for side, body in (("request", request), ("response", response))
        if body is not None and body.partial is not None
    }
    return _line(
        call,
        orjson.dumps(request.value if request is not None else None),
        orjson.dumps(response.value if response is not None else None),
        "null" if response is None else str(response.version),
        members_text(partial),
        members_text(found_members(call.errors, call.batches, call.decoded, call.topics, call.problems)),
    )


def failed_line(item: Item, message: str) -> bytes:
    """Give the line of what cannot be shown: of a call all but what lies in its bodies."""
    if isinstance(item, Call):
        side: Side = "response" if item.request is None else "request"
        problems = [*item.pairing_problems, Problem(side, None, "", message)]
        return _line(item, b"null", b"null", "null", "", members_text(found_members([], [], [], {}, problems)))
    kind = "gap" if isinstance(item, Gap) else "sasl" if isinstance(item, RawToken) else "connection"
    shown = {"type": kind, "connection": f"{item.client}-{item.server}", "problems": [{"message": message}]}
    return safe_line(orjson.dumps(shown, option=_LINE))


def _tree(call: Call, side: Side) -> dict[str, Any]:
    """Give a body, decoded, that has no problem."""
    body = call.request_body if side == "request" else call.response_body
    return body.value or {} if body is not None else {}


def gap_line(gap: Gap) -> bytes:
    """Give a gap as one line of JSON, with its newline."""
    return safe_line(orjson.dumps(gap_object(gap), option=_LINE))


def token_line(token: RawToken) -> bytes:
    """Give a raw SASL token as one line of JSON, with its newline."""
    return safe_line(orjson.dumps(token_object(token), option=_LINE))


def connection_line(report: ConnectionReport) -> bytes:
    """Give what a connection was as one line of JSON, with its newline."""
    return safe_line(orjson.dumps(connection_object(report), option=_LINE))


def _found_text(
    call: Call, request_data: bytes, request: JsonBody, response_data: bytes, response: JsonBody | None
) -> str:
    """Give what was found in bodies without a problem, and on the way to them."""
    context = call.context
    if is_plain(request) and is_plain(response) and not call.pairing_problems and not context.records:
        batches = batches_text(request, request_data, response, response_data)
        if batches is not None:
            decoded = call.known_decoded
            return batches + members_text({"decoded": decoded}) if decoded else batches
    contents = Contents()
    errors: list[FieldError] = []
    topics: dict[str, str] = {}
    sides: tuple[tuple[Side, bytes, JsonBody | None], ...] = (
        ("request", request_data, request),
        ("response", response_data, response),
    )
    for side, data, body in sides:
        if body is None:
            continue
        errors += [FieldError(side, path, code, error_name(code)) for path, code in body.errors]
        topics |= context.topics.of(body.topic_ids)
        if body.records:
            open_batches(side, data, body.records, contents)
            if context.records:
                open_records(side, data, _tree(call, side), context, call.show_secrets, contents)
    return members_text(
        found_members(
            errors,
            batches_as_json(contents),
            call.known_decoded + contents.decoded,
            topics,
            [*call.pairing_problems, *contents.problems],
        )
    )


def _header_text(call: Call) -> str:
    header = call.header
    if header is None:
        return f'{{"correlationId":{call.correlation_id}}}'
    return (
        f"{named_text(header.api_key, header.api_version)}{header.correlation_id}"
        f',"clientId":{plain_text(header.client_id)}}}'
    )


def _milliseconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6


def gap_object(gap: Gap) -> dict[str, Any]:
    """Give a gap as the object that its JSON line holds."""
    return {
        "type": "gap",
        "time": utc_text(gap.arrival.time, gap.arrival.interface.time_digits),
        "connection": f"{gap.client}-{gap.server}",
        "direction": gap.direction,
        "bytes": gap.length,
        "file": file_name(gap.arrival.interface.file),
        "packet": gap.arrival.packet,
    }


def token_object(token: RawToken) -> dict[str, Any]:
    """Give a raw SASL token as the object that its JSON line holds."""
    return {
        "type": "sasl",
        "time": utc_text(token.arrival.time, token.arrival.interface.time_digits),
        "connection": f"{token.client}-{token.server}",
        "direction": token.direction,
        "sizeInBytes": token.size,
        "file": file_name(token.arrival.interface.file),
        "packet": token.arrival.packet,
        "token": token.token.kind,
        "value": token_value(token.token),
    }


def connection_object(report: ConnectionReport) -> dict[str, Any]:
    """Give what a connection was as the object that its JSON line holds."""
    connection = report.connection
    first, last = connection.first, connection.last
    from_client = 0 if str(connection.endpoints[0]) == report.client else 1
    item: dict[str, Any] = {
        "type": "connection",
        "time": utc_text(first.time, first.interface.time_digits),
        "lastTime": utc_text(last.time, last.interface.time_digits),
        "connection": f"{report.client}-{report.server}",
        "client": report.client,
        "server": report.server,
        "protocol": report.protocol,
        "evidence": report.evidence,
        "calls": report.calls,
        "fromClient": _counters_object(connection.counters[from_client]),
        "fromServer": _counters_object(connection.counters[1 - from_client]),
        "roundTripMs": _milliseconds(connection.round_trip_ns),
        "began": "mid-stream" if connection.initiator is None else "handshake",
        "ended": connection.ended_by,
        "endedBy": _side(connection.ended_direction, from_client),
        "firstFile": file_name(first.interface.file),
        "firstPacket": first.packet,
        "lastFile": file_name(last.interface.file),
        "lastPacket": last.packet,
    }
    if report.tls is not None:
        item["tls"] = _tls_object(report.tls)
    if connection.tunnel:
        item["tunnel"] = list(connection.tunnel)
    return item


def _tls_object(known: TlsDescription) -> dict[str, Any]:
    return {
        "version": known.version,
        "cipher": known.cipher,
        "serverName": known.server_name,
        "offeredProtocols": list(known.offered_protocols),
        "chosenProtocol": known.chosen_protocol,
        "serverCertificate": _certificate_object(known.server_certificate),
        "clientCertificate": _certificate_object(known.client_certificate),
        "alert": _alert_object(known.alert),
        "resumed": known.resumed,
        "decrypted": known.decrypted,
        "failure": known.failure,
    }


def _alert_object(alert: Alert | None) -> dict[str, str] | None:
    if alert is None:
        return None
    return {"from": "client" if alert.from_client else "server", "name": alert.name}


def _certificate_object(der: bytes | None) -> dict[str, str] | None:
    certificate = read_certificate(der)
    if certificate is None:
        return None
    return {"subject": certificate.subject, "expires": f"{certificate.expires:%Y-%m-%dT%H:%M:%SZ}"}


def _side(direction: int | None, from_client: int) -> str | None:
    if direction is None:
        return None
    return "client" if direction == from_client else "server"


def _counters_object(counters: DirectionCounters) -> dict[str, int]:
    return {
        "packets": counters.packets,
        "bytes": counters.data_bytes,
        "retransmissions": counters.retransmissions,
        "duplicates": counters.duplicates,
        "outOfOrder": counters.out_of_order,
        "gaps": counters.gaps,
        "gapBytes": counters.gap_bytes,
        "cutPackets": counters.cut_packets,
        "conflicts": counters.conflicts,
    }
