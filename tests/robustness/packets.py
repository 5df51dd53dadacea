"""Conversations on TCP connections: segments, acknowledgements and times, and the packets as a capture holds them."""

import socket
import struct
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from kafkasniff.capture.packets import Interface, PacketBatch
from tests.robustness.conversations import Conversation

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
ETHERNET = 1
"""LINKTYPE_ number."""
TCP_OPTIONS = bytes.fromhex("0101080a0000000100000002")
"""Time stamps, as nearly every segment of real traffic carries them."""


@dataclass(frozen=True, slots=True, eq=False)
class Packet:
    """A TCP segment in a capture, with what damage was done to its packet."""

    time: int
    """Nanoseconds since 1970-01-01 UTC."""
    conversation: int
    """Position of the conversation in its list."""
    direction: int
    """0 from the client, 1 from the server."""
    source: tuple[str, int]
    destination: tuple[str, int]
    seq: int
    ack: int
    flags: int
    payload: bytes = b""
    offset: int = 0
    """Position of the payload's first byte in the direction's stream."""
    true: bool = True
    """False when the payload is not what the stream holds at that position (keep-alive bytes, conflicts)."""
    snap_length: int = 0
    """Most bytes kept of the packet; 0 for all."""
    zero_total_length: bool = False
    """IP total length 0, as captures with segmentation offload show it."""
    wrong_checksums: bool = False
    fragment: tuple[int, int, int] | None = None
    """Identification, and begin and end within the IP payload, when this is one fragment of the packet."""
    interface: int = 0

    @property
    def end(self) -> int:
        """Position in the stream behind the payload."""
        return self.offset + len(self.payload)


def header_length(packet: Packet) -> int:
    """Give the bytes before the payload in the captured packet."""
    return 14 + (40 if ":" in packet.source[0] else 20) + 20 + len(TCP_OPTIONS)


def kept(packet: Packet) -> int:
    """Give how many bytes of the payload the capture holds."""
    if not packet.snap_length:
        return len(packet.payload)
    return max(0, min(len(packet.payload), packet.snap_length - header_length(packet)))


def transmit(
    conversations: Sequence[Conversation],
    rng: Random,
    *,
    segment_size: int = 1448,
    close: str = "fin",
) -> list[Packet]:
    """Send the conversations over TCP, as an undisturbed capture sees it; `close` is `fin`, `rst` or `open`."""
    packets: list[Packet] = []
    for number, conversation in enumerate(conversations):
        # Every other connection's sequence numbers wrap within its first kilobytes.
        isns = [rng.randrange(1 << 32) if number % 2 else (1 << 32) - rng.randrange(1, 4000) for _ in range(2)]
        packets += _send(number, conversation, rng, isns=isns, segment_size=segment_size, close=close)
    return sorted(packets, key=lambda packet: packet.time)


def _writes(conversation: Conversation, rng: Random) -> list[tuple[int, int, bytes]]:
    """Give time, direction and bytes of each write to a socket, in order of time."""
    writes = []
    time = conversation.start + 1_000_000
    answered = time
    position = 0
    while position < len(conversation.calls):
        together = 1 if conversation.style == "idle" else rng.randrange(1, 7)
        group = conversation.calls[position : position + together]
        position += together
        writes.append((time, 0, b"".join(call.request.frame for call in group)))
        # Responses keep the order of their requests, so none may overtake the previous one.
        answered = max(answered + 60_000, time + rng.randrange(1_500_000, 3_000_000))
        for some in (group[: together // 2], group[together // 2 :]):
            data = b"".join(call.response.frame for call in some if call.response)
            if data:
                writes.append((answered, 1, data))
                answered += 40_000
        time = answered + 50_000_000 if conversation.style == "idle" else time + rng.randrange(300_000, 900_000)
    return sorted(writes, key=lambda write: write[0])


def _send(
    number: int, conversation: Conversation, rng: Random, *, isns: list[int], segment_size: int, close: str
) -> list[Packet]:
    ends = (conversation.client, conversation.server)

    def packet(time: int, direction: int, position: int, flags: int, payload: bytes = b"") -> Packet:
        seq = (isns[direction] + position) & 0xFFFFFFFF
        return Packet(
            time, number, direction, ends[direction], ends[1 - direction], seq, 0, flags, payload, max(0, position - 1)
        )

    start = conversation.start
    out = [packet(start, 0, 0, SYN), packet(start + 100_000, 1, 0, SYN | ACK), packet(start + 200_000, 0, 1, ACK)]
    sent = [1, 1]
    time = start + 200_000
    for write_time, direction, data in _writes(conversation, rng):
        time = max(time + 1_000, write_time)
        for begin in range(0, len(data), segment_size):
            piece = data[begin : begin + segment_size]
            last = begin + segment_size >= len(data)
            out.append(packet(time, direction, sent[direction], ACK | (PSH if last else 0), piece))
            sent[direction] += len(piece)
            if last or (begin // segment_size) % 2:
                out.append(packet(time + 700, 1 - direction, -1, ACK))
            time += 1_200
    time += 40_000_000
    if close == "fin":
        out.append(packet(time, 0, sent[0], FIN | ACK))
        out.append(packet(time + 100_000, 1, sent[1], FIN | ACK))
        out.append(packet(time + 200_000, 0, sent[0] + 1, ACK))
    elif close == "rst":
        out.append(packet(time, 0, sent[0], RST))
    return _acknowledge(sorted(out, key=lambda one: one.time), isns)


def _acknowledge(packets: list[Packet], isns: list[int]) -> list[Packet]:
    """Fill in acknowledgement numbers, and the sequence numbers of packets without data, in order of time."""
    following = [0, 0]
    """Sequence positions that come next, counted from the initial sequence number."""
    out = []
    for one in packets:
        mine = one.direction
        if one.flags == ACK and not one.payload:
            seq = (isns[mine] + following[mine]) & 0xFFFFFFFF
            one = replace(one, seq=seq, offset=max(0, following[mine] - 1))
        acknowledged = (isns[1 - mine] + following[1 - mine]) & 0xFFFFFFFF if one.flags & ACK else 0
        out.append(replace(one, ack=acknowledged))
        following[mine] += len(one.payload) + (1 if one.flags & (SYN | FIN) else 0)
    return out


def _checksum(data: bytes) -> int:
    total = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def encode(packet: Packet) -> tuple[bytes, int]:
    """Give the captured bytes of the packet (Ethernet) and its length on the wire."""
    family = socket.AF_INET6 if ":" in packet.source[0] else socket.AF_INET
    source, destination = (socket.inet_pton(family, end[0]) for end in (packet.source, packet.destination))
    offset_flags = (20 + len(TCP_OPTIONS)) // 4 << 12 | packet.flags
    ports = (packet.source[1], packet.destination[1])
    segment = struct.pack(">HHIIHHHH", *ports, packet.seq, packet.ack, offset_flags, 512, 0, 0)
    segment += TCP_OPTIONS + packet.payload
    pseudo = source + destination + struct.pack(">HH", 6, len(segment))
    checksum = _checksum(pseudo + segment) ^ (0x5A5A if packet.wrong_checksums else 0)
    segment = segment[:16] + checksum.to_bytes(2, "big") + segment[18:]
    if packet.fragment is not None:
        segment = segment[packet.fragment[1] : packet.fragment[2]]
    whole = 20 + len(TCP_OPTIONS) + len(packet.payload)
    wire = _ip(packet, source, destination, segment, whole)
    ether_type = b"\x86\xdd" if family == socket.AF_INET6 else b"\x08\x00"
    wire = bytes.fromhex("020000000001") + bytes.fromhex("020000000002") + ether_type + wire
    return (wire[: packet.snap_length] if packet.snap_length else wire), len(wire)


def _ip(packet: Packet, source: bytes, destination: bytes, payload: bytes, whole: int) -> bytes:
    """Put an IPv4 or IPv6 header, with its fragment fields, before the payload."""
    identification, begin, end = packet.fragment or (0, 0, whole)
    more = end < whole
    if len(source) == 16:
        if packet.fragment is not None:
            payload = struct.pack(">BBHI", 6, 0, begin | more, identification) + payload
        length = 0 if packet.zero_total_length else len(payload)
        return struct.pack(">IHBB", 6 << 28, length, 44 if packet.fragment else 6, 64) + source + destination + payload
    length = 0 if packet.zero_total_length else 20 + len(payload)
    flags = (more << 13 | begin >> 3) if packet.fragment else 0x4000
    header = struct.pack(">BBHHHBBH", 0x45, 0, length, identification & 0xFFFF, flags, 64, 6, 0) + source + destination
    checksum = _checksum(header) ^ (0x5A5A if packet.wrong_checksums else 0)
    return header[:10] + checksum.to_bytes(2, "big") + header[12:] + payload


def batches(packets: Sequence[Packet], size: int = 64) -> Iterable[PacketBatch]:
    """Give the packets in batches of `size`, as the capture layer would."""
    interfaces = [
        Interface("composed.pcap", ETHERNET, 9, name=f"if{number}")
        for number in range(1 + max((packet.interface for packet in packets), default=0))
    ]
    for first in range(0, len(packets), size):
        some = packets[first : first + size]
        encoded = [encode(packet) for packet in some]
        offsets, position = array("q"), 0
        for captured, _ in encoded:
            offsets.append(position)
            position += len(captured)
        yield PacketBatch(
            data=b"".join(captured for captured, _ in encoded),
            first_packet=first + 1,
            offsets=offsets,
            captured=array("q", [len(captured) for captured, _ in encoded]),
            original=array("q", [original for _, original in encoded]),
            times=array("q", [packet.time for packet in some]),
            interface_ids=array("q", [packet.interface for packet in some]),
            interfaces=interfaces,
        )


def pcap(packets: Sequence[Packet]) -> bytes:
    """Give the packets as a pcap file with nanoseconds."""
    out = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, ETHERNET)]
    for packet in packets:
        captured, original = encode(packet)
        out.append(struct.pack("<IIII", *divmod(packet.time, 1_000_000_000), len(captured), original) + captured)
    return b"".join(out)


def pcapng(packets: Sequence[Packet]) -> bytes:
    """Give the packets as a pcapng file with nanoseconds and an interface for each that the packets name."""

    def block(kind: int, body: bytes) -> bytes:
        body += b"\0" * (-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    out = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))]
    for _ in range(1 + max((packet.interface for packet in packets), default=0)):
        out.append(block(1, struct.pack("<HHI", ETHERNET, 0, 262144) + struct.pack("<HHBxxxI", 9, 1, 9, 0)))
    for packet in packets:
        captured, original = encode(packet)
        stamp = struct.pack("<II", packet.time >> 32, packet.time & 0xFFFFFFFF)
        head = struct.pack("<I", packet.interface) + stamp + struct.pack("<II", len(captured), original)
        out.append(block(6, head + captured))
    return b"".join(out)
