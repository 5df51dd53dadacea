"""Calls made by hand: frames packed here field by field, times and packet numbers chosen."""

import struct

from kafkasniff.calls.call import Call, Outcome
from kafkasniff.calls.frame import Frame
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.protocol.headers import read_request_header
from kafkasniff.reading import Summary
from kafkasniff.tcp.events import Connection, Endpoint

NOON = 1_795_176_000_000_000_000
"""2026-11-20T12:00:00Z."""

MILLISECOND = 1_000_000
INTERFACE = Interface("made.pcap", 1)
CLIENT = Endpoint("10.0.0.1", 51234)
SERVER = Endpoint("10.0.0.2", 9092)


def arrival(packet: int, after_ns: int, interface: Interface = INTERFACE) -> Arrival:
    return Arrival(NOON + after_ns, packet, interface)


def made_connection() -> Connection:
    return Connection((CLIENT, SERVER), 0, arrival(1, 0), arrival(20, 500 * MILLISECOND), initiator=0)


def text(value: str | None) -> bytes:
    if value is None:
        return struct.pack(">h", -1)
    return struct.pack(">h", len(value.encode())) + value.encode()


def request_bytes(key: int, version: int, correlation_id: int, client_id: str | None, body: bytes) -> bytes:
    return struct.pack(">hhi", key, version, correlation_id) + text(client_id) + body


def frame(data: bytes, first: Arrival, last: Arrival, size: int | None = None) -> Frame:
    return Frame(len(data) if size is None else size, data, first, last, 0)


def made_call(
    request: bytes | None,
    response: bytes | None,
    *,
    outcome: Outcome = "answered",
    took_ns: int = 1_234_000,
    request_size: int | None = None,
    interface: Interface = INTERFACE,
) -> Call:
    """A call whose request is packet 12, 123.456 ms after noon, and whose response is packet 14."""
    start = 123_456_000
    end = arrival(14, start + took_ns, interface)
    return Call(
        made_connection(),
        str(CLIENT),
        str(SERVER),
        None if request is None else frame(request, *[arrival(12, start, interface)] * 2, size=request_size),
        None if response is None else frame(response, arrival(13, start + took_ns - 134_000, interface), end),
        None if request is None else read_request_header(request),
        outcome,
        end,
    )


def metadata_call(host: str = "10.0.0.2", topic: str = "orders", client_id: str = "shop", error_code: int = 0) -> Call:
    """Metadata v1 of one topic with one partition, led by broker 7."""
    request = request_bytes(3, 1, 42, client_id, struct.pack(">i", 1) + text(topic))
    broker = struct.pack(">ii", 1, 7) + text(host) + struct.pack(">i", 9092) + text(None)
    partition = struct.pack(">hiiiiii", error_code, 0, 7, 1, 7, 1, 7)
    topics = struct.pack(">ih", 1, 0) + text(topic) + struct.pack(">bi", 0, 1) + partition
    return made_call(request, struct.pack(">i", 42) + broker + struct.pack(">i", 7) + topics)


def heartbeat_call(group: str = "billing", error_code: int = 0, outcome: Outcome = "answered") -> Call:
    """Heartbeat v0 of member m-1 in generation 5."""
    request = request_bytes(12, 0, 43, "shop", text(group) + struct.pack(">i", 5) + text("m-1"))
    response = struct.pack(">ih", 43, error_code) if outcome == "answered" else None
    return made_call(request, response, outcome=outcome)


def made_summary(packets: int = 10, cut_packets: int = 0, lasts: int | None = None, **counts: object) -> Summary:
    """Give what a capture was worth that began at NOON and lasted so many ns."""
    summary = Summary()
    summary.packets, summary.cut_packets = packets, cut_packets
    if lasts is not None:
        summary.first_time, summary.last_time = NOON, NOON + lasts
    for name, value in counts.items():
        setattr(summary.counts, name, value)
    return summary
