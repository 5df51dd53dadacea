"""What the captures are made of: messages by Kafka's definitions, TCP conversations, pcap files."""

import struct
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Kind, covers

SYN, RST, PSH, ACK = 2, 4, 8, 16
ETHERNET = bytes.fromhex("0200000000010200000000020800")
BROKER = bytes([10, 0, 0, 2])
SEGMENT = 32_000
"""Bytes of payload of a segment of a long message."""

_INTEGERS = {"int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I", "int64": ">q"}


def varint(value: int) -> bytes:
    """Write an unsigned varint."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value: int) -> bytes:
    """Write a signed varint, as those of records."""
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def body(api_key: int, version: int, kind: Kind, value: dict[str, Any], tags: bytes = b"\0") -> bytes:
    """Write a body as its definition says; what `value` lacks is empty. `tags` are those of the body itself."""
    definition = api_definition(api_key, kind)
    flexible = covers(definition.flexible, version)
    return _structure(definition.fields, version, flexible, value) + (tags if flexible else b"")


def _structure(fields: tuple[Field, ...], version: int, flexible: bool, value: dict[str, Any]) -> bytes:
    out = []
    for field in fields:
        if not covers(field.versions, version) or covers(field.tagged, version):
            continue
        given = value.get(field.name)
        if field.is_array:
            if isinstance(given, bytes):
                out.append(given)  # The array as it stands on the wire.
                continue
            out.append(length(len(given or ()), flexible, "array"))
            out += [_value(field, field.element_type, version, flexible, element) for element in given or ()]
        elif field.fields and covers(field.nullable, version):
            inner = _value(field, field.type, version, flexible, given) if given is not None else b""
            out.append((b"\1" if given is not None else b"\xff") + inner)
        else:
            out.append(_value(field, field.type, version, flexible, given))
    return b"".join(out)


def _value(field: Field, kind: str, version: int, flexible: bool, value: Any) -> bytes:
    if field.fields:
        return _structure(field.fields, version, flexible, value or {}) + (b"\0" if flexible else b"")
    if kind in _INTEGERS:
        return struct.pack(_INTEGERS[kind], value or 0)
    if kind == "bool":
        return bytes([bool(value)])
    if kind == "uuid":
        return urlsafe_b64decode(f"{value}==") if isinstance(value, str) else value or bytes(16)
    if kind == "float64":
        return struct.pack(">d", value or 0)
    data = value.encode() if isinstance(value, str) else value or b""
    return length(len(data), flexible, kind) + data


def length(count: int, flexible: bool, kind: str) -> bytes:
    """Write the length of a string, of bytes or of an array."""
    if flexible:
        return varint(count + 1)
    return struct.pack(">h" if kind == "string" else ">i", count)


def request(api_key: int, version: int, correlation_id: int, content: bytes, client_id: str = "c") -> bytes:
    """Write a request with its size prefix and header, around a body."""
    name = client_id.encode()
    header = struct.pack(">hhih", api_key, version, correlation_id, len(name)) + name
    first = APIS[api_key].request_flexible if api_key in APIS else None
    header += b"\0" if first is not None and version >= first else b""
    return struct.pack(">i", len(header) + len(content)) + header + content


def response(api_key: int, version: int, correlation_id: int, content: bytes) -> bytes:
    """Write a response with its size prefix and header, around a body."""
    first = APIS[api_key].response_flexible if api_key in APIS else None
    # ApiVersions answers with header version 0 always (KIP-511).
    tags = b"\0" if first is not None and version >= first and api_key != 18 else b""
    header = struct.pack(">i", correlation_id) + tags
    return struct.pack(">i", len(header) + len(content)) + header + content


def call(
    api_key: int, version: int, correlation_id: int, asked: dict[str, Any], answered: dict[str, Any]
) -> tuple[bytes, bytes]:
    """Write a request and its response."""
    return (
        request(api_key, version, correlation_id, body(api_key, version, "request", asked)),
        response(api_key, version, correlation_id, body(api_key, version, "response", answered)),
    )


def heartbeat(correlation_id: int, group: str = "g", client_id: str = "c") -> tuple[bytes, bytes]:
    """Write a Heartbeat and its answer: that a connection is Kafka."""
    asked = body(12, 0, "request", {"groupId": group, "generationId": 1, "memberId": "m"})
    return request(12, 0, correlation_id, asked, client_id), response(12, 0, correlation_id, bytes(2))


def ip_packet(
    source: bytes, destination: bytes, protocol: int, payload: bytes, *, place: int = 0, ident: int = 0
) -> bytes:
    """Write an IPv4 packet; checksums are left zero. `place` is the field of flags and fragment offset."""
    total = 20 + len(payload)
    return struct.pack(">BBHHHBBH", 0x45, 0, total, ident, place, 64, protocol, 0) + source + destination + payload


def tcp_segment(source: int, destination: int, seq: int, ack: int, flags: int, payload: bytes = b"") -> bytes:
    """Write a TCP segment."""
    head = (source, destination, seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, 5 << 12 | flags, 512, 0, 0)
    return struct.pack(">HHIIHHHH", *head) + payload


class Connection:
    """A connection between a client and the broker, which gives its IP packets."""

    def __init__(self, number: int = 1, port: int = 9092, base: int = 0) -> None:
        """Take the client of that number; sequence numbers begin at `base`."""
        self.client = bytes([10, 1, number >> 8 & 0xFF, number & 0xFF]), 20_000 + (number >> 16)
        self.server = BROKER, port
        self.next = [base + 1, base + 1]

    def segment(self, side: int, flags: int, payload: bytes = b"", *, at: int | None = None) -> bytes:
        """Write one packet of the client (0) or the server (1), at its next byte or at another one."""
        (source, from_port), (destination, to_port) = (self.client, self.server)[:: 1 - 2 * side]
        seq = self.next[side] if at is None else at
        return ip_packet(
            source, destination, 6, tcp_segment(from_port, to_port, seq, self.next[1 - side], flags, payload)
        )

    def open(self) -> Iterator[bytes]:
        """Write the handshake."""
        yield self.segment(0, SYN, at=self.next[0] - 1)
        yield self.segment(1, SYN | ACK, at=self.next[1] - 1)
        yield self.segment(0, ACK)

    def send(self, side: int, data: bytes, size: int = SEGMENT) -> Iterator[bytes]:
        """Write bytes of one side, in segments."""
        for start in range(0, len(data), size):
            payload = data[start : start + size]
            yield self.segment(side, PSH | ACK, payload)
            self.next[side] += len(payload)

    def calls(self, *messages: tuple[bytes, bytes]) -> Iterator[bytes]:
        """Write requests, each with its response."""
        for asked, answered in messages:
            yield from self.send(0, asked)
            yield from self.send(1, answered)


def conversation(*messages: tuple[bytes, bytes], number: int = 1) -> Iterator[bytes]:
    """Open a connection, prove that it is Kafka, and send the messages."""
    connection = Connection(number)
    yield from connection.open()
    yield from connection.calls(heartbeat(1), *messages)


def write_pcap(path: Path, packets: Iterable[bytes], *, link_type: int = 101, snaplen: int = 262_144) -> None:
    """Write packets (IP, unless `link_type` says otherwise) a millisecond apart."""
    with path.open("wb") as stream:
        stream.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snaplen, link_type))
        for number, packet in enumerate(packets):
            seconds, rest = divmod(number, 1000)
            stream.write(struct.pack("<IIII", 1_790_000_000 + seconds, rest * 1000, len(packet), len(packet)) + packet)


def batch(records: bytes, count: int, compression: int = 0, **others: int) -> bytes:
    """Write a record batch of magic 2 around `records`, compressed or not; its checksum is right."""
    import crc32c

    producer_id, base_offset = others.get("producer_id", -1), others.get("base_offset", 0)
    rest = struct.pack(
        ">hiqqqhii", compression, count - 1, 1_790_000_000_000, 1_790_000_000_000, producer_id, 0, 0, count
    )
    content = rest + records
    return struct.pack(">qiibI", base_offset, len(content) + 9, 0, 2, crc32c.crc32c(content)) + content


def record(key: bytes, value: bytes, headers: bytes = b"\0", offset: int = 0) -> bytes:
    """Write a record of magic 2."""
    content = b"\0\0" + zigzag(offset) + zigzag(len(key)) + key + zigzag(len(value)) + value + headers
    return zigzag(len(content)) + content


def produce(correlation_id: int, records: bytes, topic: str = "t", version: int = 8) -> tuple[bytes, bytes]:
    """Write a Produce request that holds record batches, and its response."""
    partition = {"index": 0, "records": records}
    asked = {"acks": -1, "timeoutMs": 1, "topicData": [{"name": topic, "partitionData": [partition]}]}
    answered = {"responses": [{"name": topic, "partitionResponses": [{"index": 0}]}]}
    return call(0, version, correlation_id, asked, answered)
