"""Recordings of real traffic as packets whose ports can be changed, and the frames that are really in them."""

import json
import struct
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import dpkt

from kafkasniff.capture.packets import Interface, PacketBatch

SYN, ACK = 2, 16
LINK_HEADERS = {0: (None, 4), 1: (12, 14), 101: (None, 0), 113: (14, 16), 276: (0, 20)}
"""By LINKTYPE_ number: where the protocol number stands, and the header's length."""
HIGHEST_KEY, HIGHEST_VERSION = 100, 20


@dataclass(slots=True)
class Segment:
    """A TCP segment and the packet that carries it."""

    time: float
    raw: bytearray
    original: int
    ports_at: int
    """Position of the TCP header in the packet."""
    addresses: tuple[bytes, bytes]
    ports: tuple[int, int]
    seq: int
    flags: int
    payload: bytes


@dataclass(slots=True)
class Direction:
    """What one end of a connection sends in the whole recording."""

    first_seq: int | None = None
    """Sequence number of the stream's first byte, as the SYN gives it; without SYN the lowest seen."""
    segments: list[Segment] = field(default_factory=list)

    def place(self, segment: Segment) -> int:
        """Give the position of a segment's first byte in the stream."""
        assert self.first_seq is not None
        position = (segment.seq - self.first_seq) & 0xFFFFFFFF
        return position - (1 << 32) if position > 1 << 31 else position

    def frames(self) -> list[tuple[int, int, bytes]]:
        """Follow the sizes from the first byte on; give begin, end and first bytes of each whole frame."""
        stream, seen = bytearray(), bytearray()
        for segment in self.segments:
            begin = self.place(segment)
            if begin < 0:
                continue
            end = begin + len(segment.payload)
            stream.extend(bytes(max(0, end - len(stream))))
            seen.extend(bytes(max(0, end - len(seen))))
            stream[begin:end] = segment.payload
            seen[begin:end] = b"\1" * len(segment.payload)
        whole = seen.find(0)
        whole = len(seen) if whole < 0 else whole
        found, begin = [], 0
        while begin + 4 <= whole:
            size = int.from_bytes(stream[begin : begin + 4], "big", signed=True)
            if size < 0 or begin + 4 + size > whole:
                break
            found.append((begin, begin + 4 + size, bytes(stream[begin + 4 : begin + 12])))
            begin += 4 + size
        return found


@dataclass(slots=True)
class RecordedConnection:
    """A connection of a recording."""

    ends: tuple[tuple[bytes, int], tuple[bytes, int]]
    """Address and port of the client, then of the server."""
    directions: tuple[Direction, Direction] = field(default_factory=lambda: (Direction(), Direction()))

    def whole_frames(self, kept: Sequence[Segment]) -> tuple[int, int]:
        """Count the whole requests and the whole frames of both directions that the kept segments hold."""
        identities = {id(segment) for segment in kept}
        requests = frames = 0
        for number, direction in enumerate(self.directions):
            if direction.first_seq is None:
                continue
            seen = bytearray(sum(len(segment.payload) for segment in direction.segments))
            for segment in direction.segments:
                begin = direction.place(segment)
                if id(segment) in identities and begin >= 0:
                    seen[begin : begin + len(segment.payload)] = b"\1" * len(segment.payload)
            for begin, end, content in direction.frames():
                if end <= len(seen) and seen.find(0, begin, end) < 0:
                    frames += 1
                    requests += number == 0 and _is_request(content)
        return requests, frames


def _is_request(content: bytes) -> bool:
    """Tell a request from a raw SASL token."""
    if len(content) < 8:
        return False
    key, version = struct.unpack_from(">hh", content)
    return 0 <= key <= HIGHEST_KEY and 0 <= version <= HIGHEST_VERSION


def _network(raw: bytes, link_type: int) -> int | None:
    """Give where the IP header begins, or None when the packet is no IP packet."""
    if link_type not in LINK_HEADERS:
        return None
    protocol_at, at = LINK_HEADERS[link_type]
    if protocol_at is not None:
        protocol = raw[protocol_at : protocol_at + 2]
        while protocol in (b"\x81\x00", b"\x88\xa8"):
            protocol = raw[at + 2 : at + 4]
            at += 4
        if protocol not in (b"\x08\x00", b"\x86\xdd"):
            return None
    return at


def read_segments(path: Path) -> tuple[int, list[Segment]]:
    """Read a recording with dpkt; give its LINKTYPE_ number and its TCP segments."""
    segments = []
    with path.open("rb") as file:
        reader = dpkt.pcap.UniversalReader(file)
        link_type = reader.datalink()
        for time, raw in reader:
            at = _network(raw, link_type)
            if at is None:
                continue
            if raw[at] >> 4 == 4:
                protocol, addresses = raw[at + 9], (raw[at + 12 : at + 16], raw[at + 16 : at + 20])
                end, tcp = at + int.from_bytes(raw[at + 2 : at + 4], "big"), at + (raw[at] & 15) * 4
            else:
                protocol, addresses = raw[at + 6], (raw[at + 8 : at + 24], raw[at + 24 : at + 40])
                end, tcp = at + 40 + int.from_bytes(raw[at + 4 : at + 6], "big"), at + 40
            if protocol != 6:
                continue
            source, destination, seq, _, offset_flags = struct.unpack_from(">HHIIH", raw, tcp)
            payload = raw[tcp + (offset_flags >> 12) * 4 : end]
            segments.append(
                Segment(
                    float(time), bytearray(raw), len(raw), tcp, addresses, (source, destination), seq,
                    offset_flags & 0x3F, payload,
                )
            )  # fmt: skip
    return link_type, segments


def connections(segments: Sequence[Segment], server_ports: set[int]) -> list[RecordedConnection]:
    """Sort segments into connections with one of the server's ports; a SYN begins a new one."""
    current: dict[tuple[tuple[bytes, int], tuple[bytes, int]], RecordedConnection] = {}
    found = []
    for segment in segments:
        source, destination = zip(segment.addresses, segment.ports, strict=True)
        from_server = segment.ports[0] in server_ports
        if not from_server and segment.ports[1] not in server_ports:
            continue
        ends = (destination, source) if from_server else (source, destination)
        opening = segment.flags & (SYN | ACK) == SYN
        known = current.get(ends)
        again = opening and known is not None and known.directions[0].first_seq == (segment.seq + 1) & 0xFFFFFFFF
        if known is None or (opening and not again):
            known = current[ends] = RecordedConnection(ends)
            found.append(known)
        direction = known.directions[from_server]
        if segment.flags & SYN:
            direction.first_seq = (segment.seq + 1) & 0xFFFFFFFF
        elif segment.payload:
            if direction.first_seq is None:
                direction.first_seq = segment.seq
            direction.segments.append(segment)
    return found


def server_ports(path: Path) -> set[int]:
    """Give the brokers' ports, as the description beside the recording has them."""
    description = path.with_suffix(".json")
    if not description.exists():
        # The parts of a rotated recording lie in a folder of their own, described as one.
        description = path.parent.with_suffix(".json")
    return set(json.loads(description.read_text())["serverPorts"])


def other_ports(segments: Sequence[Segment], rng: Random) -> dict[int, int]:
    """Write a random port in place of each; give the new ports by the old ones."""
    old = sorted({port for segment in segments for port in segment.ports})
    new = dict(zip(old, rng.sample(range(1024, 65536), len(old)), strict=True))
    for segment in segments:
        struct.pack_into(">HH", segment.raw, segment.ports_at, *(new[port] for port in segment.ports))
    return new


def segment_batches(segments: Sequence[Segment], link_type: int, size: int = 500) -> Iterator[PacketBatch]:
    """Give the packets in batches."""
    interfaces = [Interface("recording.pcap", link_type)]
    for first in range(0, len(segments), size):
        some = segments[first : first + size]
        offsets, position = array("q"), 0
        for segment in some:
            offsets.append(position)
            position += len(segment.raw)
        yield PacketBatch(
            data=b"".join(segment.raw for segment in some),
            first_packet=first + 1,
            offsets=offsets,
            captured=array("q", [len(segment.raw) for segment in some]),
            original=array("q", [segment.original for segment in some]),
            times=array("q", [round(segment.time * 1e9) for segment in some]),
            interface_ids=array("q", bytes(8 * len(some))),
            interfaces=interfaces,
        )
