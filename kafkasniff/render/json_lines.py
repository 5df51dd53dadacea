"""Calls, gaps and connections as JSON, one object a line (fields: docs/json.md)."""

from functools import cache, lru_cache
from typing import Any, NamedTuple

import orjson

from kafkasniff.calls.authentication import RawToken, token_value
from kafkasniff.calls.call import HOLDING_APIS, Call, ConnectionReport, Frame, Gap, Side
from kafkasniff.calls.topics import has_topic_ids
from kafkasniff.protocol.bodies import DecodedBody
from kafkasniff.protocol.headers import RequestHeader
from kafkasniff.protocol.memory import LONGEST, Memory
from kafkasniff.protocol.scans import ScannedBody
from kafkasniff.render.json_text import safe_line
from kafkasniff.render.text import file_name
from kafkasniff.render.times import utc_text
from kafkasniff.tcp.events import DirectionCounters
from kafkasniff.tcp.tls.description import Alert, TlsDescription, read_certificate

_LINE = orjson.OPT_APPEND_NEWLINE


def call_line(call: Call) -> bytes:
    """Give a call as one line of JSON, with its newline."""
    asked, answered = _known(call, "request"), _known(call, "response")
    call.take_scans(asked and asked.scan, answered and answered.scan)
    request = asked.text if asked is not None else _body_text(call, "request", call.request_body)
    response = answered.text if answered is not None else _body_text(call, "response", call.response_body)
    version = answered.version if answered is not None else call.response_api_version
    time = call.time
    start = (
        f'{{"type":"call","time":"{utc_text(time.time, time.interface.time_digits)}",'
        f'"connection":"{call.client}-{call.server}","client":"{call.client}","server":"{call.server}",'
        f'"requestHeader":{_header_text(call)},"request":'
    )
    end = (
        f',"responseApiVersion":{_text(version)}{_partial_text(call, asked, answered)},"outcome":"{call.outcome}"'
        f"{_pending_text(call.pending_ns)}"
        f',"totalTimeMs":{_milliseconds_text(call.total_ns)}'
        f',"responseDelayMs":{_milliseconds_text(call.response_delay_ns)}'
        f',"requestSizeBytes":{call.request.size if call.request else "null"}'
        f',"responseSizeBytes":{call.response.size if call.response else "null"}'
        f"{_place_text('request', call.request)}{_place_text('response', call.response)}{_found_text(call)}"
        f"{_client_text(call.security_protocol, call.principal, call.software_name, call.software_version)}}}\n"
    )
    return safe_line(b"".join((start.encode(), request, b',"response":', response, end.encode())))


def gap_line(gap: Gap) -> bytes:
    """Give a gap as one line of JSON, with its newline."""
    return safe_line(orjson.dumps(gap_object(gap), option=_LINE))


def token_line(token: RawToken) -> bytes:
    """Give a raw SASL token as one line of JSON, with its newline."""
    return safe_line(orjson.dumps(token_object(token), option=_LINE))


def connection_line(report: ConnectionReport) -> bytes:
    """Give what a connection was as one line of JSON, with its newline."""
    return safe_line(orjson.dumps(connection_object(report), option=_LINE))


class _KnownBody(NamedTuple):
    """A body that came before, without problems, and without anything inside it."""

    text: bytes
    version: int
    scan: ScannedBody


@cache
def _memory(api_key: int, api_version: int, side: Side, show_secrets: bool) -> Memory[_KnownBody] | None:
    """Give the memory of bodies of one layout; None where more than its bytes makes a body's part of the line."""
    if api_key in HOLDING_APIS or has_topic_ids(api_key, api_version, side):
        return None
    return Memory()


def _known(call: Call, side: Side) -> _KnownBody | None:
    """Give what is known of a call's request or response, where an equal one came before."""
    header, frame = call.header, call.request if side == "request" else call.response
    if header is None or frame is None:
        return None
    memory = _memory(header.api_key, header.api_version, side, call.show_secrets)
    if memory is None or not memory.worthwhile or not frame.whole or frame.size > LONGEST:
        return None
    return memory.get(_remembered_bytes(side, header, frame))


def _remembered_bytes(side: Side, header: RequestHeader, frame: Frame) -> bytes:
    """Give what is the same in equal messages: all behind the correlation id, less a request's header."""
    return frame.data[header.end if side == "request" else 4 :]


def _body_text(call: Call, side: Side, body: DecodedBody | None) -> bytes:
    """Give a body as JSON, and remember it where equal ones have the same part of the line."""
    if body is None:
        return b"null"
    text = orjson.dumps(body.value)
    header, frame = call.header, call.request if side == "request" else call.response
    if header is not None and frame is not None and body.value is not None and not body.problems and not body.records:
        memory = _memory(header.api_key, header.api_version, side, call.show_secrets)
        if memory is not None and memory.worthwhile and frame.size <= LONGEST:
            errors = [(error.path, error.code) for error in call.errors if error.where == side]
            known = _KnownBody(text, body.version, ScannedBody(frozenset(), {}, errors, []))
            memory.put(_remembered_bytes(side, header, frame), known)
    return text


def _header_text(call: Call) -> str:
    header = call.header
    if header is None:
        return f'{{"correlationId":{call.correlation_id}}}'
    return (
        f'{{"requestApiKey":{header.api_key},"requestApiKeyName":"{call.api_name}",'
        f'"requestApiVersion":{header.api_version},"correlationId":{header.correlation_id},'
        f'"clientId":{_text(header.client_id)}}}'
    )


@lru_cache(maxsize=1024)
def _text(value: str | int | None) -> str:
    """Give a value as JSON: text from the wire is escaped by nothing else."""
    return orjson.dumps(value).decode()


def _partial_text(call: Call, asked: _KnownBody | None, answered: _KnownBody | None) -> str:
    """Give what there is of bodies that did not decode whole; a body that is known did."""
    request = call.request_body if asked is None else None
    response = call.response_body if answered is None else None
    found = {}
    if request is not None and request.partial is not None:
        found["requestPartial"] = request.partial
    if response is not None and response.partial is not None:
        found["responsePartial"] = response.partial
    return _members(found)


def _found_text(call: Call) -> str:
    """Give what was found in the bodies; what is empty is left out."""
    found: dict[str, Any] = {}
    if call.errors:
        found["errors"] = [
            {"where": error.where, "path": error.path, "code": error.code, "name": error.name} for error in call.errors
        ]
    if batches := call.batches:
        found["batches"] = batches
    if decoded := call.decoded:
        found["decoded"] = decoded
    if topics := call.topics:
        found["topics"] = topics
    if problems := call.problems:
        found["problems"] = [
            {"where": problem.where, "offset": problem.offset, "path": problem.path, "message": problem.message}
            for problem in problems
        ]
    return _members(found)


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


def _pending_text(pending_ns: int | None) -> str:
    return "" if pending_ns is None else f',"pendingMs":{_milliseconds_text(pending_ns)}'


def _milliseconds_text(nanoseconds: int | None) -> str:
    if nanoseconds is None:
        return "null"
    # Below this Python writes an exponent, in another form than other JSON here.
    return repr(nanoseconds / 1e6) if nanoseconds >= 100 else orjson.dumps(nanoseconds / 1e6).decode()


def _milliseconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6


def _place_text(side: Side, frame: Frame | None) -> str:
    if frame is None:
        return f',"{side}File":null,"{side}Packet":null'
    return f',"{side}File":{_text(file_name(frame.last.interface.file))},"{side}Packet":{frame.last.packet}'


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
