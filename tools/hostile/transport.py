"""Cases of packets: floods, fragments, tunnels, overlapping segments, TLS records."""

import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tools.hostile.case import Case, Given, case
from tools.hostile.wire import (
    ACK,
    BROKER,
    ETHERNET,
    PSH,
    RST,
    SYN,
    Connection,
    heartbeat,
    ip_packet,
    request,
    tcp_segment,
    write_pcap,
)

FILE = "hostile.pcap"
CLIENT = bytes([10, 1, 0, 1])
MORE = 0x2000
"""The flag that more fragments follow."""


def good_call(number: int = 60_000) -> Iterator[bytes]:
    """A call that must not be lost beside what is hostile."""
    connection = Connection(number)
    yield from connection.open()
    yield from connection.calls(heartbeat(1))


def syn_flood(folder: Path, scale: float) -> Given:
    """50,000 SYNs from as many addresses"""

    def packets() -> Iterator[bytes]:
        for number in range(int(50_000 * scale)):
            yield Connection(number).segment(0, SYN, at=number)
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def rst_flood(folder: Path, scale: float) -> Given:
    """20,000 RSTs within one open connection and 20,000 for connections that are none"""

    def packets() -> Iterator[bytes]:
        connection = Connection()
        yield from connection.open()
        yield from connection.calls(heartbeat(1))
        for number in range(int(20_000 * scale)):
            yield connection.segment(number & 1, RST, at=number * 65_536)
            yield Connection(2 + number).segment(0, RST, at=number)
        yield from connection.calls(heartbeat(2))
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def reopened(folder: Path, scale: float) -> Given:
    """One 4-tuple opened and reset 3,000 times, a call each"""

    def packets() -> Iterator[bytes]:
        for number in range(int(3_000 * scale)):
            connection = Connection(base=number * 100_000)
            yield from connection.open()
            yield from connection.calls(heartbeat(1))
            yield connection.segment(0, RST)

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def tiny_connections(folder: Path, scale: float) -> Given:
    """6,000 connections of a SYN, its answer and one byte"""

    def packets() -> Iterator[bytes]:
        for number in range(int(6_000 * scale)):
            connection = Connection(number)
            yield connection.segment(0, SYN, at=0)
            yield connection.segment(1, SYN | ACK, at=0)
            yield connection.segment(0, PSH | ACK, b"\0")
        yield from good_call(65_000)

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def tiny_segments(folder: Path, scale: float) -> Given:
    """A Metadata request of 60,000 bytes in segments of one byte, sent backwards"""
    from tools.hostile.wire import body

    count = int(60_000 * scale)
    topics = [{"name": "t" * 30_000}, {"name": "u" * 29_000}]
    asked = request(3, 0, 2, body(3, 0, "request", {"topics": topics}))[:count]

    def packets() -> Iterator[bytes]:
        connection = Connection()
        yield from connection.open()
        yield from connection.calls(heartbeat(1))
        begin = connection.next[0]
        for place in reversed(range(len(asked))):
            yield connection.segment(0, PSH | ACK, asked[place : place + 1], at=begin + place)

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def overlapping_segments(folder: Path, scale: float) -> Given:
    """4,000 segments of 1,400 bytes that overlap each other, with other bytes each time, behind a hole"""
    rng = Random(2)

    def packets() -> Iterator[bytes]:
        connection = Connection()
        yield from connection.open()
        yield from connection.calls(heartbeat(1))
        begin = connection.next[0] + 1
        for _ in range(int(4_000 * scale)):
            place = begin + rng.randrange(60_000)
            yield connection.segment(0, PSH | ACK, rng.randbytes(1_400), at=place)
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def alternating_repeats(folder: Path, scale: float) -> Given:
    """2,000 segments of 1,400 bytes sent again, every other byte of them changed"""

    def packets() -> Iterator[bytes]:
        connection = Connection()
        yield from connection.open()
        yield from connection.calls(heartbeat(1))
        asked = request(3, 0, 2, struct.pack(">i", 1) + struct.pack(">h", 1_300) + b"t" * 1_300)
        begin = connection.next[0]
        yield from connection.send(0, asked)
        for _ in range(int(2_000 * scale)):
            changed = bytes(byte ^ (place & 1) for place, byte in enumerate(asked))
            yield connection.segment(0, PSH | ACK, changed, at=begin)
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def fragment_holes(folder: Path, scale: float) -> Given:
    """20 IP packets of 1,000 fragments that overlap, so that bytes enough came and a hole is left"""

    def packets() -> Iterator[bytes]:
        for ident in range(int(20 * scale) or 1):
            yield ip_packet(CLIENT, BROKER, 6, b"x" * 8, place=65_000 >> 3, ident=ident)
            for number in range(1_000):
                # Of the first 8 bytes none comes; every fragment has another length.
                data = bytes(1_400 - 8 * (number % 100))
                place = 1 + (number * 7) % 4_000
                yield ip_packet(CLIENT, BROKER, 6, data, place=MORE | place, ident=ident)
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def fragments_unfinished(folder: Path, scale: float) -> Given:
    """50,000 first fragments of packets that never come whole"""

    def packets() -> Iterator[bytes]:
        for number in range(int(50_000 * scale)):
            source = struct.pack(">I", 10 << 24 | number)
            yield ip_packet(source, BROKER, 6, b"x" * 64, place=MORE, ident=number & 0xFFFF)
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def tunnels(folder: Path, scale: float) -> Given:
    """3,000 packets of IP within IP, 2,000 headers deep, and as deep as is opened"""

    def packets() -> Iterator[bytes]:
        for depth in (30, 2_000):
            head = b""
            total = depth * 20 + 40
            for _ in range(depth):
                head += struct.pack(">BBHHHBBH", 0x45, 0, total, 0, 0, 64, 4, 0) + CLIENT + BROKER
                total -= 20
            inner = ip_packet(CLIENT, BROKER, 6, tcp_segment(20_001, 9092, 0, 0, SYN))
            for _ in range(int(1_500 * scale)):
                yield head + inner
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def virtual_networks(folder: Path, scale: float) -> Given:
    """4,000 VXLAN networks, one connection each, and tags of VLANs and MPLS 15,000 deep"""

    def packets() -> Iterator[bytes]:
        for number in range(int(4_000 * scale)):
            inner = ETHERNET + Connection(1).segment(0, PSH | ACK, heartbeat(1)[0])
            vxlan = b"\x08\0\0\0" + struct.pack(">I", number << 8) + inner
            udp = struct.pack(">HHHH", 1, 4789, 8 + len(vxlan), 0) + vxlan
            yield ETHERNET + ip_packet(CLIENT, BROKER, 17, udp)
        for tags in (b"\x00\x01\x81\x00" * 15_000, b"\x00\x00\x10\x40" * 15_000):
            kind = b"\x81\x00" if tags[:2] == b"\x00\x01" else b"\x88\x47"
            for _ in range(int(20 * scale)):
                yield ETHERNET[:12] + kind + tags
        for packet in good_call():
            yield ETHERNET + packet

    write_pcap(folder / FILE, packets(), link_type=1)
    return Given([FILE])


def extension_headers(folder: Path, scale: float) -> Given:
    """500 IPv6 packets of 8,000 extension headers each"""

    def packets() -> Iterator[bytes]:
        chain = bytes(8) * 8_000
        for _ in range(int(500 * scale)):
            yield struct.pack(">IHBB", 6 << 28, len(chain), 0, 64) + bytes(32) + chain
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def tls_records(folder: Path, scale: float) -> Given:
    """100 TLS connections of 2,000 records without content each"""
    hello = bytes([1, 0, 0, 38, 3, 3]) + bytes(32) + bytes([0, 0, 2, 0x13, 1])

    def packets() -> Iterator[bytes]:
        for number in range(int(100 * scale) or 1):
            connection = Connection(number, 9093)
            yield from connection.open()
            yield from connection.send(0, b"\x16\3\1" + struct.pack(">H", len(hello)) + hello)
            yield from connection.send(1, (b"\x17\3\3\0\0" * 1_000))
            yield from connection.send(0, (b"\x16\3\3\0\1\1" * 1_000))
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def tls_candidates(folder: Path, scale: float) -> Given:
    """TLS behind a lost segment: 2 MB in which every byte begins what looks like a record; with a key log"""
    client = bytes(range(32))
    secrets = "".join(
        f"{label} {client.hex()} {'22' * 32}\n"
        for label in ("CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0", "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
                      "SERVER_HANDSHAKE_TRAFFIC_SECRET")
    )  # fmt: skip
    (folder / "keys.log").write_text(secrets)
    suites = b"\0\2\x13\1\1\0"
    versions = b"\0\x2b\0\3\2\3\4"
    hello = b"\3\3" + client + b"\0" + suites + struct.pack(">H", len(versions)) + versions
    answer = b"\3\3" + client + b"\0\x13\1\0" + b"\0\6\0\x2b\0\2\3\4"

    def wrapped(kind: int, content: bytes) -> bytes:
        message = bytes([kind]) + len(content).to_bytes(3, "big") + content
        return b"\x16\3\3" + struct.pack(">H", len(message)) + message

    def packets() -> Iterator[bytes]:
        connection = Connection(1, 9093)
        yield from connection.open()
        yield from connection.send(0, wrapped(1, hello))
        yield from connection.send(1, wrapped(2, answer))
        connection.next[0] += 1_000
        connection.next[1] += 1_000
        shape = b"\x17\3\3\0\x14" * 400
        for _ in range(int(1_000 * scale)):
            yield from connection.send(0, shape)
            yield from connection.send(1, shape)
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE], options=("--keylog", "keys.log"))


def undecided(folder: Path, scale: float) -> Given:
    """6 connections from their middle, 100 kB of zeros, of small integers and of random bytes each"""
    rng = Random(3)
    fillings = (bytes(100_000), struct.pack(">i", 12) * 25_000, rng.randbytes(100_000), b"\0\0\0\x0e\0\3\0\1" * 12_500)

    def packets() -> Iterator[bytes]:
        for number in range(int(6 * scale) or 1):
            connection = Connection(number)
            yield from connection.send(number & 1, fillings[number % 4], 1_400)
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


def searched(folder: Path, scale: float) -> Given:
    """6 connections that lose a segment, then 100 kB in which every place may begin a message"""
    fillings = (b"\0\0\0\x0e\0\3\0\1", b"\0\0\0\x20\0\0\0\2", b"\0\0\0\x08", b"\0\0\0\x12\0\x0c\0\0\0\0\0\2\0\1c")

    def packets() -> Iterator[bytes]:
        for number in range(int(6 * scale) or 1):
            connection = Connection(number)
            yield from connection.open()
            yield from connection.calls(heartbeat(1))
            connection.next = [connection.next[0] + 1_000, connection.next[1] + 1_000]
            filling = fillings[number % 4]
            yield from connection.send(number >> 2 & 1, filling * (100_000 // len(filling)), 1_400)
        yield from good_call()

    write_pcap(folder / FILE, packets())
    return Given([FILE])


TRANSPORT: tuple[Case, ...] = tuple(
    map(
        case,
        (
            syn_flood, rst_flood, reopened, tiny_connections, tiny_segments, overlapping_segments, alternating_repeats,
            fragment_holes, fragments_unfinished, tunnels, virtual_networks, extension_headers, tls_records,
            tls_candidates, undecided, searched,
        ),
    )
)  # fmt: skip
