"""What is no call as JSON: gaps, SASL tokens and connections (fields: docs/json.md)."""

from typing import TYPE_CHECKING, Any

from kafkasniff.calls.enrichment.authentication import RawToken, token_value
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.times import utc_text
from kafkasniff.tcp.events import DirectionCounters
from kafkasniff.wording import file_name

if TYPE_CHECKING:  # captures without TLS should not wait for it
    from kafkasniff.tcp.tls.description import Alert, TlsDescription


def failed_line(item: Gap | RawToken | ConnectionReport, message: str) -> bytes:
    """Give the line of what cannot be shown."""
    kind = "gap" if isinstance(item, Gap) else "sasl" if isinstance(item, RawToken) else "connection"
    shown = {"type": kind, "connection": f"{item.client}-{item.server}", "problems": [{"message": message}]}
    return _line(shown)


def gap_line(gap: Gap) -> bytes:
    """Give a gap as one line of JSON, with its newline."""
    return _line(gap_object(gap))


def token_line(token: RawToken) -> bytes:
    """Give a raw SASL token as one line of JSON, with its newline."""
    return _line(token_object(token))


def connection_line(report: ConnectionReport) -> bytes:
    """Give what a connection was as one line of JSON, with its newline."""
    return _line(connection_object(report))


def _line(item: dict[str, Any]) -> bytes:
    import orjson  # captures with none of these should not wait for it

    return safe_line(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE))


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


def _tls_object(known: "TlsDescription") -> dict[str, Any]:
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


def _alert_object(alert: "Alert | None") -> dict[str, str] | None:
    if alert is None:
        return None
    return {"from": "client" if alert.from_client else "server", "name": alert.name}


def _certificate_object(der: bytes | None) -> dict[str, str] | None:
    from kafkasniff.tcp.tls.description import read_certificate

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
