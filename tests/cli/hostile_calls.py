"""Captures of calls whose few bytes ask for much, or for what cannot be printed; packed here field by field."""

import struct
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.protocol.records.made_batches import batch, record
from tests.robustness.bounds import ACK, PSH, handshake, packet, write_capture

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZSTD = 4


def sized(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


def varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes([*encoded, number])


def field(number: int, content: bytes) -> bytes:
    """A length-delimited field of protobuf."""
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def request(key: int, version: int, correlation_id: int, body: bytes, flexible: bool = False) -> bytes:
    return struct.pack(">hhih", key, version, correlation_id, 4) + b"shop" + bytes(flexible) + body


def heartbeat(correlation_id: int) -> tuple[bytes, bytes]:
    body = struct.pack(">h1sih1s", 1, b"g", 3, 1, b"m")
    return request(12, 0, correlation_id, body), struct.pack(">ih", correlation_id, 0)


@cache
def compressed(content: bytes) -> bytes:
    """Compress by zstd; calls of one capture have the same content."""
    return zstd.compress(content, 19)


def push_telemetry(correlation_id: int, metrics: bytes) -> tuple[bytes, bytes]:
    """PushTelemetry v0 with metrics that are compressed by zstd."""
    content = compressed(metrics)
    body = bytes(16) + struct.pack(">iBB", 1, 0, ZSTD) + varint(len(content) + 1) + content + b"\0"
    return request(72, 0, correlation_id, body, flexible=True), struct.pack(">i", correlation_id) + bytes(8)


def der(tag: int, *contents: bytes) -> bytes:
    content = b"".join(contents)
    return bytes([tag, 0x82]) + struct.pack(">H", len(content)) + content


def kerberos_error(code: bytes) -> bytes:
    """A KRB-ERROR within a token of GSSAPI, with an INTEGER of any length."""
    error = der(0x7E, der(0x30, der(0xA6, der(2, code))))
    return der(0x60, bytes.fromhex("06092a864886f7120102020300"), error)


def login(correlation_id: int, token: bytes) -> list[tuple[bytes, bytes]]:
    """SaslHandshake v1 for GSSAPI, and SaslAuthenticate v0 that is answered with a token."""
    handshake_ok = struct.pack(">ihih6s", correlation_id, 0, 1, 6, b"GSSAPI")
    answer = struct.pack(">ihh", correlation_id + 1, 0, -1) + sized(token)
    return [
        (request(17, 1, correlation_id, struct.pack(">h6s", 6, b"GSSAPI")), handshake_ok),
        (request(36, 0, correlation_id + 1, sized(token)), answer),
    ]


def gauge(content: bytes) -> bytes:
    """MetricsData with one metric, a gauge."""
    return field(1, field(2, field(2, field(1, b"m") + field(5, content))))


def produce(correlation_id: int, records: int, value: bytes = b"") -> tuple[bytes, bytes]:
    """Produce v3 of equal records in one batch that is compressed by zstd."""
    content = record(0, None, value) * records
    data = batch(compressed(content), records, attributes=ZSTD)
    body = struct.pack(">hhii", -1, -1, 1000, 1) + struct.pack(">h1sii", 1, b"t", 1, 0) + sized(data)
    answer = struct.pack(">iih1siihqqi", correlation_id, 1, 1, b"t", 1, 0, 0, 0, -1, 0)
    return request(0, 3, correlation_id, body), answer


def capture(path: Path, *connections: list[tuple[bytes, bytes]]) -> Path:
    """Write calls, each a request and its response, on some connections."""

    def packets() -> Iterator[bytes]:
        for number, calls in enumerate(connections):
            yield from handshake(number)
            sent = [1, 1]
            for messages in calls:
                for side, message in enumerate(map(sized, messages)):
                    yield packet(number, side == 0, sent[side], sent[1 - side], PSH | ACK, message)
                    sent[side] += len(message)

    write_capture(path, packets())
    return path


def named_heartbeats(path: Path, names: list[str]) -> Path:
    """Write a Heartbeat of each client id, on one connection behind one of `shop`."""
    calls = [heartbeat(0)]
    for number, name in enumerate(names, 1):
        sent, answer = heartbeat(number)
        raw = name.encode()
        calls.append((sent[:8] + struct.pack(">h", len(raw)) + raw + sent[14:], answer))
    return capture(path, calls)
