"""Calls, gaps and connections as JSON, one object a line (fields: docs/json.md)."""

from typing import Any

import orjson

from kafkasniff.calls.authentication import RawToken, token_value
from kafkasniff.calls.call import Call, ConnectionReport, Frame, Gap
from kafkasniff.render.times import utc_text
from kafkasniff.tcp.events import DirectionCounters
from kafkasniff.tcp.tls.description import TlsDescription, read_certificate

_LINE = orjson.OPT_APPEND_NEWLINE


def call_line(call: Call) -> bytes:
    """Give a call as one line of JSON, with its newline."""
    return orjson.dumps(call_object(call), option=_LINE)


def gap_line(gap: Gap) -> bytes:
    """Give a gap as one line of JSON, with its newline."""
    return orjson.dumps(gap_object(gap), option=_LINE)


def token_line(token: RawToken) -> bytes:
    """Give a raw SASL token as one line of JSON, with its newline."""
    return orjson.dumps(token_object(token), option=_LINE)


def connection_line(report: ConnectionReport) -> bytes:
    """Give what a connection was as one line of JSON, with its newline."""
    return orjson.dumps(connection_object(report), option=_LINE)


def call_object(call: Call) -> dict[str, Any]:
    """Give a call as the object that its JSON line holds."""
    request, response = call.request_body, call.response_body
    time = call.time
    item: dict[str, Any] = {
        "type": "call",
        "time": utc_text(time.time, time.interface.time_digits),
        "connection": f"{call.client}-{call.server}",
        "client": call.client,
        "server": call.server,
        "requestHeader": _header_object(call),
        "request": request.value if request else None,
        "response": response.value if response else None,
        "responseApiVersion": call.response_api_version,
    }
    if request and request.partial is not None:
        item["requestPartial"] = request.partial
    if response and response.partial is not None:
        item["responsePartial"] = response.partial
    item["outcome"] = call.outcome
    if call.pending_ns is not None:
        item["pendingMs"] = call.pending_ns / 1e6
    item["totalTimeMs"] = _milliseconds(call.total_ns)
    item["responseDelayMs"] = _milliseconds(call.response_delay_ns)
    item["requestSizeBytes"] = call.request.size if call.request else None
    item["responseSizeBytes"] = call.response.size if call.response else None
    item["requestFile"], item["requestPacket"] = _place(call.request)
    item["responseFile"], item["responsePacket"] = _place(call.response)
    if call.errors:
        item["errors"] = [
            {"where": error.where, "path": error.path, "code": error.code, "name": error.name} for error in call.errors
        ]
    if batches := call.batches:
        item["batches"] = batches
    if decoded := call.decoded:
        item["decoded"] = decoded
    if topics := call.topics:
        item["topics"] = topics
    if problems := call.problems:
        item["problems"] = [
            {"where": problem.where, "offset": problem.offset, "path": problem.path, "message": problem.message}
            for problem in problems
        ]
    item["securityProtocol"] = call.security_protocol
    item["principal"] = call.principal
    item["clientInformation"] = {"softwareName": call.software_name, "softwareVersion": call.software_version}
    return item


def _header_object(call: Call) -> dict[str, Any]:
    if call.header is None:
        return {"correlationId": call.correlation_id}
    return {
        "requestApiKey": call.header.api_key,
        "requestApiKeyName": call.api_name,
        "requestApiVersion": call.header.api_version,
        "correlationId": call.correlation_id,
        "clientId": call.header.client_id,
    }


def _milliseconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6


def _place(frame: Frame | None) -> tuple[str | None, int | None]:
    return (frame.last.interface.file, frame.last.packet) if frame else (None, None)


def gap_object(gap: Gap) -> dict[str, Any]:
    """Give a gap as the object that its JSON line holds."""
    return {
        "type": "gap",
        "time": utc_text(gap.arrival.time, gap.arrival.interface.time_digits),
        "connection": f"{gap.client}-{gap.server}",
        "direction": gap.direction,
        "bytes": gap.length,
        "file": gap.arrival.interface.file,
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
        "file": token.arrival.interface.file,
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
        "firstFile": first.interface.file,
        "firstPacket": first.packet,
        "lastFile": last.interface.file,
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
        "resumed": known.resumed,
        "decrypted": known.decrypted,
        "failure": known.failure,
    }


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
        "outOfOrder": counters.out_of_order,
        "gaps": counters.gaps,
        "gapBytes": counters.gap_bytes,
        "cutPackets": counters.cut_packets,
        "conflicts": counters.conflicts,
    }
