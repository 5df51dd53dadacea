"""Traffic that asks for much memory, run in a process of its own: `python -m tests.robustness.bounds CASE [SCALE]`.

Prints one JSON object: the peak of resident memory in MiB, what was found, and which limits were reached.
"""

import json
import re
import resource
import struct
import sys
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Interface, PacketBatch

SYN, PSH, ACK = 2, 8, 16
ETHERNET = bytes.fromhex("020000000001020000000002" + "0800")
SERVER = bytes([10, 255, 0, 1]), 39092
SEGMENT = 60_000
"""Bytes of payload of a large segment."""
BATCH_BYTES = 8 << 20

Client = tuple[bytes, int]


def packet(number: int, from_client: bool, seq: int, ack: int, flags: int, payload: bytes = b"") -> bytes:
    """Give an Ethernet packet between the server and the client of that number; checksums are left zero."""
    client = (10 << 24 | number >> 15).to_bytes(4, "big"), 1024 + (number & 0x7FFF)
    source, destination = (client, SERVER) if from_client else (SERVER, client)
    total = 40 + len(payload)
    return b"".join(
        (
            ETHERNET,
            struct.pack(">BBHHHBBH", 0x45, 0, total, 0, 0x4000, 64, 6, 0),
            source[0],
            destination[0],
            struct.pack(">HHIIHHHH", source[1], destination[1], seq, ack, 5 << 12 | flags, 512, 0, 0),
            payload,
        )
    )


def handshake(number: int) -> Iterator[bytes]:
    """Open the connection of that number, with initial sequence numbers 0 on both sides."""
    yield packet(number, True, 0, 0, SYN)
    yield packet(number, False, 0, 1, SYN | ACK)
    yield packet(number, True, 1, 1, ACK)


def produce_header(size: int, correlation_id: int) -> bytes:
    """Give the size prefix of a message of `size` bytes, and a Produce v8 request up to its records."""
    content = struct.pack(">hhih", 0, 8, correlation_id, 5) + b"large"
    content += struct.pack(">hhi", -1, -1, 30_000) + struct.pack(">ih4sii", 1, 4, b"bulk", 1, 7)
    return struct.pack(">i", size) + content + struct.pack(">i", size - len(content) - 4)


def heartbeat(correlation_id: int) -> tuple[bytes, bytes]:
    """Give a Heartbeat v0 request and its response."""
    content = struct.pack(">hhih", 12, 0, correlation_id, 1) + b"c" + struct.pack(">h1sih1s", 1, b"g", 3, 1, b"m")
    return struct.pack(">i", len(content)) + content, struct.pack(">iih", 6, correlation_id, 0)


REQUEST, RESPONSE = heartbeat(8)


def one_call(number: int) -> Iterator[bytes]:
    """Send a Heartbeat and its response on a connection that was just opened."""
    yield packet(number, True, 1, 1, PSH | ACK, REQUEST)
    yield packet(number, False, 1, 1 + len(REQUEST), PSH | ACK, RESPONSE)


AFTER_ONE_CALL = (1 + len(REQUEST), 1 + len(RESPONSE))


def data(number: int, size: int, first: bytes, rng: Random, begin: tuple[int, int] = AFTER_ONE_CALL) -> Iterator[bytes]:
    """Send `first` and then bytes up to `size` in all from the client, each segment acknowledged.

    `begin` is where both directions stand: after one call, if nothing else is said.
    """
    block = rng.randbytes(SEGMENT)
    sent = 0
    while sent < size:
        payload = (first + block[len(first) :] if not sent else block)[: size - sent]
        yield packet(number, True, begin[0] + sent, begin[1], ACK, payload)
        sent += len(payload)
        yield packet(number, False, begin[1], begin[0] + sent, ACK)


def half_open(scale: float, rng: Random) -> Iterator[bytes]:
    """A million SYNs without an answer, then a call."""
    for number in range(1, int(1_000_000 * scale)):
        yield packet(number, True, rng.randrange(1 << 32), 0, SYN)
    yield from handshake(0)
    yield from one_call(0)


def full_connections(scale: float, rng: Random) -> Iterator[bytes]:
    """10,000 connections that are open at once, then a call on each."""
    count = int(10_000 * scale)
    for number in range(count):
        yield from handshake(number)
    for number in range(count):
        yield from one_call(number)


def large_message(scale: float, rng: Random) -> Iterator[bytes]:
    """One message of 40 MB, whole, answered."""
    size = int(40_000_000 * scale)
    yield from handshake(0)
    yield from one_call(0)
    yield from data(0, size + 4, produce_header(size, 9), rng)
    answer = struct.pack(">iiii", 12, 9, 0, 0)
    yield packet(0, False, 1 + len(RESPONSE), 1 + len(REQUEST) + size + 4, PSH | ACK, answer)


def large_first(scale: float, rng: Random) -> Iterator[bytes]:
    """The same as the first message of its connection."""
    size = int(40_000_000 * scale)
    yield from handshake(0)
    yield from data(0, size + 4, produce_header(size, 9), rng, (1, 1))
    yield packet(0, False, 1, 1 + size + 4, PSH | ACK, struct.pack(">iiii", 12, 9, 0, 0))


def announced(scale: float, rng: Random) -> Iterator[bytes]:
    """A message of 1 GB is announced, and 400 MB of it come."""
    yield from handshake(0)
    yield from one_call(0)
    yield from data(0, int(400_000_000 * scale), produce_header(1_000_000_000, 9), rng)


def many_unfinished(scale: float, rng: Random) -> Iterator[bytes]:
    """Twenty connections each send 40 MB of a message of 100 MB, in turn; then a call on another one."""
    streams = [data(number, int(40_000_000 * scale), produce_header(100_000_000, 9), rng) for number in range(1, 21)]
    for number in range(1, 21):
        yield from handshake(number)
        yield from one_call(number)
    for packets in zip(*streams, strict=True):
        yield from packets
    yield from handshake(0)
    yield from one_call(0)


def undecided(scale: float, rng: Random) -> Iterator[bytes]:
    """800 connections from their middle, each with a megabyte of random bytes, in turn; then a call on another."""
    streams = [data(number, int(1_000_000 * scale), b"", rng) for number in range(1, 801)]
    for packets in zip(*streams, strict=True):
        yield from packets
    yield from handshake(0)
    yield from one_call(0)


def holes(scale: float, rng: Random) -> Iterator[bytes]:
    """Fifty connections lose their first segment and send 16 MB behind it that nobody acknowledges; then a call."""
    for number in range(1, 51):
        yield from handshake(number)
    for position in range(1, int(270 * scale)):
        for number in range(1, 51):
            yield packet(number, True, 1 + position * SEGMENT, 1, ACK, rng.randbytes(100) * (SEGMENT // 100))
    yield from handshake(0)
    yield from one_call(0)


CASES: dict[str, Callable[[float, Random], Iterator[bytes]]] = {
    case.__name__: case
    for case in (half_open, full_connections, large_message, large_first, announced, many_unfinished, undecided, holes)
}


def batches(packets: Iterator[bytes]) -> Iterator[PacketBatch]:
    """Give the packets in batches of some megabytes, a microsecond apart."""
    interfaces = [Interface("bounds.pcap", 1)]
    pieces: list[bytes] = []
    held, first = 0, 1

    def batch() -> PacketBatch:
        lengths = array("q", map(len, pieces))
        offsets, position = array("q"), 0
        for length in lengths:
            offsets.append(position)
            position += length
        times = array("q", [1_790_000_000_000_000_000 + (first + n) * 1000 for n in range(len(pieces))])
        ids = array("q", bytes(8 * len(pieces)))
        return PacketBatch(b"".join(pieces), first, offsets, lengths, lengths, times, ids, interfaces)

    for one in packets:
        pieces.append(one)
        held += len(one)
        if held > BATCH_BYTES or len(pieces) == 20_000:
            yield batch()
            first += len(pieces)
            pieces, held = [], 0
    if pieces:
        yield batch()


def write_capture(path: Path, packets: Iterator[bytes]) -> None:
    """Write the packets as a pcap file, a microsecond apart."""
    with path.open("wb") as stream:
        stream.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, 1))
        for number, one in enumerate(packets, 1):
            second, micro = divmod(number, 1_000_000)
            stream.write(struct.pack("<IIII", 1_790_000_000 + second, micro, len(one), len(one)) + one)


def peak_kib() -> int:
    """Give the process's peak of resident memory; Linux's ru_maxrss would count the parent's, from before exec."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])


def run(name: str, scale: float) -> dict[str, Any]:
    """Run a case through the engine and say what came of it."""
    engine = Engine(report_connections=True)
    result: dict[str, Any] = {"calls": 0, "answered": 0, "largest": 0, "problems": [], "kafka": 0}

    def count(items: list[Any]) -> None:
        for item in items:
            if isinstance(item, Call):
                result["calls"] += 1
                result["answered"] += item.outcome == "answered"
                result["largest"] = max(result["largest"], len(item.request.data) if item.request else 0)
                result["problems"] += [problem.message for problem in item.problems][: 10 - len(result["problems"])]
            elif isinstance(item, ConnectionReport):
                result["kafka"] += item.protocol == "kafka"

    for batch in batches(CASES[name](scale, Random(name))):
        count(engine.feed(batch))
    count(engine.flush())
    result["limits"] = engine.notes()
    result["peak_mib"] = peak_kib() >> 10
    result["cpu_seconds"] = round(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), 1)
    return result


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)))
