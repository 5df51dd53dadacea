"""Hand-made stream events and Kafka frames, packed here field by field."""

import struct
from typing import Any

from kafkasniff.calls.call import CALL_FIELDS, Call
from kafkasniff.calls.limits import Budget
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.tcp.events import Connection, Endpoint, StreamData, StreamGap

INTERFACE = Interface("made.pcap", 1)
CLIENT = Endpoint("10.0.0.1", 51234)
SERVER = Endpoint("10.0.0.2", 19092)
MILLISECOND = 1_000_000
BUDGET = Budget(1 << 30)


def arrival(packet: int) -> Arrival:
    """Packet n arrives n milliseconds after the epoch."""
    return Arrival(packet * MILLISECOND, packet, INTERFACE)


def connection(initiator: int | None = 0) -> Connection:
    made = Connection((CLIENT, SERVER), 0, arrival(1), arrival(1), initiator)
    for counter in made.counters:
        counter.packets = counter.data_bytes = 1
    return made


def data(
    of: Connection,
    direction: int,
    content: bytes,
    packet: int,
    *,
    delivered_by: int | None = None,
    contradicted: tuple[tuple[int, int], ...] = (),
) -> StreamData:
    by = arrival(packet if delivered_by is None else delivered_by)
    return StreamData(of, direction, content, arrival(packet), by, contradicted=contradicted)


def gap(of: Connection, direction: int, length: int | None, packet: int, cut: bool = False) -> StreamGap:
    return StreamGap(of, direction, length, arrival(packet), cut)


def sized(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


def text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def metadata_request(correlation_id: int, client_id: str = "shop", topic: str = "orders") -> bytes:
    """Metadata v1 for one topic."""
    return sized(struct.pack(">hhi", 3, 1, correlation_id) + text(client_id) + struct.pack(">i", 1) + text(topic))


def metadata_response(correlation_id: int, host: str = "broker-1", topic: str = "orders") -> bytes:
    """Metadata v1: one broker, one topic without partitions."""
    broker = struct.pack(">ii", 1, 7) + text(host) + struct.pack(">ih", 9092, -1)
    topics = struct.pack(">ih", 1, 0) + text(topic) + struct.pack(">bi", 0, 0)
    return sized(struct.pack(">i", correlation_id) + broker + struct.pack(">i", 7) + topics)


def heartbeat_request(correlation_id: int, client_id: str = "shop") -> bytes:
    """Heartbeat v0."""
    body = text("billing") + struct.pack(">i", 5) + text("member-1")
    return sized(struct.pack(">hhi", 12, 0, correlation_id) + text(client_id) + body)


def heartbeat_response(correlation_id: int, error_code: int = 0) -> bytes:
    """Heartbeat v0."""
    return sized(struct.pack(">ih", correlation_id, error_code))


def produce_request(correlation_id: int, acks: int, client_id: str = "shop") -> bytes:
    """Produce v0 without topics."""
    body = struct.pack(">hii", acks, 30_000, 0)
    return sized(struct.pack(">hhi", 0, 0, correlation_id) + text(client_id) + body)


def changed(call: Call, **fields: Any) -> Call:
    """Give a call with other values of some fields, of which nothing was decoded yet."""
    return Call(**{**{name: getattr(call, name) for name in CALL_FIELDS}, **fields})
