"""Calls, gaps and connections as JSON, one object a line (fields: docs/json.md)."""

from functools import lru_cache
from typing import Any

import orjson

from kafkasniff.calls.authentication import RawToken, token_value
from kafkasniff.calls.call import (
    HOLDING_APIS,
    Call,
    ConnectionReport,
    FieldError,
    Frame,
    Gap,
    Side,
    api_name,
)
from kafkasniff.calls.contents import Contents, batches_as_json, open_batches
from kafkasniff.calls.records import open_records
from kafkasniff.capture.packets import Interface
from kafkasniff.protocol.error_codes import error_name
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import response_header_version
from kafkasniff.protocol.json_bodies import JsonBody, JsonReader, json_reader
from kafkasniff.protocol.records.batches import as_json, read_batches
from kafkasniff.render.json_text import safe_line
from kafkasniff.render.text import file_name
from kafkasniff.render.times import utc_text
from kafkasniff.tcp.events import DirectionCounters
from kafkasniff.tcp.tls.description import Alert, TlsDescription, read_certificate

_LINE = orjson.OPT_APPEND_NEWLINE


def call_line(call: Call) -> bytes:
    """Give a call as one line of JSON, with its newline."""
    layout = _layout(call)
    bodies = None if layout is None else layout.read(call)
    if layout is None or bodies is None:
        return _decoded_line(call)
    request, response = bodies
    found = _found_text(call, request, response)
    if response is None:
        return _line(call, request.text, b"null", "null", "", found)
    return _line(call, request.text, response.text, layout.version, "", found)


def _line(call: Call, request_text: bytes, response_text: bytes, version: str, partial: str, found: str) -> bytes:
    """Put a line together: what stands in it beside the bodies is the same for all calls."""
    request, response = call.request, call.response
    pending = "" if call.pending_ns is None else f',"pendingMs":{_milliseconds_text(call.pending_ns)}'
    client = _client_text(call.security_protocol, call.principal, call.software_name, call.software_version)
    if request is not None and response is not None:
        first, _, interface = request.first
        asked, asked_packet, asked_interface = request.last
        answered, answered_packet, answered_interface = response.last
        ends = (
            f',"totalTimeMs":{_milliseconds_text(answered - first)}'
            f',"responseDelayMs":{_milliseconds_text(response.first[0] - asked)}'
            f',"requestSizeBytes":{request.size},"responseSizeBytes":{response.size}'
            f',"requestFile":{_file_text(asked_interface)},"requestPacket":{asked_packet}'
            f',"responseFile":{_file_text(answered_interface)},"responsePacket":{answered_packet}'
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
        else f'"{side}File":{_file_text(frame.last.interface)},"{side}Packet":{frame.last.packet}'
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
        _members(partial),
        _members(_found(call.errors, call.batches, call.decoded, call.topics, call.problems)),
    )


def gap_line(gap: Gap) -> bytes:
    """Give a gap as one line of JSON, with its newline."""
    return safe_line(orjson.dumps(gap_object(gap), option=_LINE))


def token_line(token: RawToken) -> bytes:
    """Give a raw SASL token as one line of JSON, with its newline."""
    return safe_line(orjson.dumps(token_object(token), option=_LINE))


def connection_line(report: ConnectionReport) -> bytes:
    """Give what a connection was as one line of JSON, with its newline."""
    return safe_line(orjson.dumps(connection_object(report), option=_LINE))


class _Layout:
    """What the calls of one API in one version have in common."""

    __slots__ = ("_flexible_header", "_request", "_response", "version")

    def __init__(self, api_key: int, version: int, request: JsonReader, response: JsonReader) -> None:
        self.version = str(version)
        self._request = request
        self._response = response
        self._flexible_header = response_header_version(api_key, version) == 1

    def read(self, call: Call) -> tuple[JsonBody, JsonBody | None] | None:
        """Read the bodies; None where one is not whole or has any problem, or no request was captured."""
        header, frame = call.header, call.request
        if header is None or frame is None or len(frame.data) != frame.size:
            return None
        request = self._request.read(frame.data, header.end)
        frame = call.response
        if request is None or frame is None:
            return None if request is None else (request, None)
        data = frame.data
        if len(data) != frame.size:
            return None
        offset = 4
        if self._flexible_header:
            # Kafka knows no tagged fields there, so that their count is one byte, and zero.
            if data[4:5] != b"\0":
                return None
            offset = 5
        response = self._response.read(data, offset)
        return None if response is None else (request, response)


def _layout(call: Call) -> _Layout | None:
    header = call.header
    return None if header is None else _known_layout(header.api_key, header.api_version, call.show_secrets)


@lru_cache(maxsize=1024)
def _known_layout(api_key: int, version: int, show_secrets: bool) -> _Layout | None:
    """Give a layout; None where it is not known, or messages may lie within the messages."""
    if api_key in HOLDING_APIS:
        return None
    request = json_reader(api_key, version, "request", show_secrets)
    response = json_reader(api_key, version, "response", show_secrets)
    if request is None or response is None:
        return None
    return _Layout(api_key, version, request, response)


def _found_text(call: Call, request: JsonBody, response: JsonBody | None) -> str:
    """Give what was found in bodies without a problem, and on the way to them."""
    context = call.context
    if not (
        request.errors
        or request.topic_ids
        or (response is not None and (response.errors or response.topic_ids))
        or call.fetch_session is not None
        or call.pairing_problems
        or context.tokens
        or context.records
    ):
        batches = _batches_text(call, request, response)
        if batches is not None:
            return batches
    contents = Contents()
    errors: list[FieldError] = []
    topics: dict[str, str] = {}
    sides: tuple[tuple[Side, Frame | None, JsonBody | None], ...] = (
        ("request", call.request, request),
        ("response", call.response, response),
    )
    for side, frame, body in sides:
        if body is None or frame is None:
            continue
        errors += [FieldError(side, path, code, error_name(code)) for path, code in body.errors]
        topics |= context.topics.of(body.topic_ids)
        if body.records:
            open_batches(side, frame.data, body.records, contents)
            if context.records:
                open_records(side, frame.data, body.value, context, call.show_secrets, contents)
    return _members(
        _found(
            errors,
            batches_as_json(contents),
            call.known_decoded + contents.decoded,
            topics,
            [*call.pairing_problems, *contents.problems],
        )
    )


def _batches_text(call: Call, request: JsonBody, response: JsonBody | None) -> str | None:
    """Give the batches of a call in which nothing else was found; None where there is anything wrong with one."""
    items: list[str] = []
    sides: tuple[tuple[Side, Frame | None, JsonBody | None], ...] = (
        ("request", call.request, request),
        ("response", call.response, response),
    )
    for side, frame, body in sides:
        if body is not None and body.records and frame is not None and not _add_batches(side, frame, body, items):
            return None
    return f',"batches":[{",".join(items)}]' if items else ""


def _add_batches(side: Side, frame: Frame, body: JsonBody, items: list[str]) -> bool:
    for path, start, end in body.records:
        batches, problems = read_batches(frame.data, start, end, side=side)
        if problems:
            return False
        # Names of fields and numbers are all that paths are made of.
        place = f'{{"where":"{side}","path":"{path}",'
        for batch in batches:
            items.append(place + orjson.dumps(as_json(batch))[1:].decode())
    return True


def _found(
    errors: list[FieldError],
    batches: list[dict[str, Any]],
    decoded: list[dict[str, Any]],
    topics: dict[str, str],
    problems: list[Problem],
) -> dict[str, Any]:
    """Give the members that say what was found in a call; what is empty is left out."""
    found: dict[str, Any] = {}
    if errors:
        found["errors"] = [
            {"where": error.where, "path": error.path, "code": error.code, "name": error.name} for error in errors
        ]
    if batches:
        found["batches"] = batches
    if decoded:
        found["decoded"] = decoded
    if topics:
        found["topics"] = topics
    if problems:
        found["problems"] = [
            {"where": problem.where, "offset": problem.offset, "path": problem.path, "message": problem.message}
            for problem in problems
        ]
    return found


def _header_text(call: Call) -> str:
    header = call.header
    if header is None:
        return f'{{"correlationId":{call.correlation_id}}}'
    return (
        f"{_named_text(header.api_key, header.api_version)}{header.correlation_id}"
        f',"clientId":{_text(header.client_id)}}}'
    )


@lru_cache(maxsize=1024)
def _named_text(api_key: int, api_version: int) -> str:
    return (
        f'{{"requestApiKey":{api_key},"requestApiKeyName":"{api_name(api_key)}"'
        f',"requestApiVersion":{api_version},"correlationId":'
    )


@lru_cache(maxsize=256)
def _file_text(interface: Interface) -> str:
    return _text(file_name(interface.file))


@lru_cache(maxsize=1024)
def _text(value: str | int | None) -> str:
    """Give a value as JSON: text from the wire is escaped by nothing else."""
    return orjson.dumps(value).decode()


def _members(item: dict[str, Any]) -> str:
    """Give the members of an object as they follow others."""
    return f",{orjson.dumps(item)[1:-1].decode()}" if item else ""


@lru_cache(maxsize=256)
def _client_text(security: str, principal: str | None, name: str | None, version: str | None) -> str:
    return _members(
        {
            "securityProtocol": security,
            "principal": principal,
            "clientInformation": {"softwareName": name, "softwareVersion": version},
        }
    )


@lru_cache(maxsize=8192)
def _milliseconds_text(nanoseconds: int) -> str:
    # Below this Python writes an exponent, in another form than other JSON here.
    return repr(nanoseconds / 1e6) if nanoseconds >= 100 else orjson.dumps(nanoseconds / 1e6).decode()


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
