"""Packets made by hand, and what a reader of events sees of them."""

import struct
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kafkasniff.capture.packets import Interface, PacketBatch
from kafkasniff.tcp.events import (
    Connection,
    ConnectionEnd,
    StreamConflict,
    StreamData,
    StreamEvent,
    StreamGap,
)
from kafkasniff.tcp.limits import TcpLimits
from kafkasniff.tcp.reassembler import Reassembler

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
CLIENT, SERVER = "10.0.0.1", "10.0.0.2"
MILLISECOND = 1_000_000
START = 1_700_000_000 * 1_000 * MILLISECOND


def ipv4_address(text: str) -> bytes:
    return bytes(map(int, text.split(".")))


def tcp(
    source_port: int, destination_port: int, sequence: int, acknowledgement: int, flags: int, data: bytes = b""
) -> bytes:
    header = struct.pack(
        ">HHIIBBHHH",
        source_port,
        destination_port,
        sequence % (1 << 32),
        acknowledgement % (1 << 32),
        5 << 4,
        flags,
        8192,
        0,
        0,
    )
    return header + data


def ipv4(
    source: str,
    destination: str,
    payload: bytes,
    *,
    protocol: int = 6,
    identification: int = 0,
    offset: int = 0,
    more: bool = False,
    options: bytes = b"",
    total: int | None = None,
) -> bytes:
    header_length = 20 + len(options)
    return (
        struct.pack(
            ">BBHHHBBH4s4s",
            0x40 | header_length // 4,
            0,
            header_length + len(payload) if total is None else total,
            identification,
            offset // 8 | more << 13,
            64,
            protocol,
            0,
            ipv4_address(source),
            ipv4_address(destination),
        )
        + options
        + payload
    )


def ethernet(payload: bytes, ethertype: int = 0x0800) -> bytes:
    return b"\2\0\0\0\0\1\2\0\0\0\0\2" + struct.pack(">H", ethertype) + payload


def batch(
    frames: Sequence[bytes],
    *,
    times: Sequence[int] | None = None,
    original: Sequence[int] | None = None,
    link_type: int = 1,
    first_packet: int = 1,
    file: str = "made.pcap",
) -> PacketBatch:
    """Frames as a capture reader would give them; a packet a millisecond unless `times` are given."""
    offsets, position = array("q"), 0
    for frame in frames:
        offsets.append(position)
        position += len(frame)
    lengths = array("q", map(len, frames))
    return PacketBatch(
        data=b"".join(frames),
        first_packet=first_packet,
        offsets=offsets,
        captured=lengths,
        original=lengths if original is None else array("q", original),
        times=array("q", times or [START + (first_packet + i) * MILLISECOND for i in range(len(frames))]),
        interface_ids=array("q", [0] * len(frames)),
        interfaces=[Interface(file, link_type)],
    )


def run(frames: Sequence[bytes], *, limits: TcpLimits | None = None, **columns: object) -> list[StreamEvent]:
    """All events of a capture that consists of `frames`."""
    reassembler = Reassembler(limits or TcpLimits())
    return reassembler.feed(batch(frames, **columns)) + reassembler.flush()  # type: ignore[arg-type]


@dataclass
class Seen:
    """What a reader of events saw of one connection."""

    connection: Connection
    parts: tuple[list[bytes | int | None], list[bytes | int | None]] = field(default_factory=lambda: ([], []))
    """Of each direction, bytes (joined where they touch) and lengths of gaps."""
    conflicts: list[tuple[int, tuple[tuple[int, int], ...]]] = field(default_factory=list)
    """Directions, and where delivered bytes differ, counted from the next one."""
    ended: bool = False


def connections(events: Iterable[StreamEvent]) -> list[Seen]:
    """Sort events by connection, checking their order: anything, then one end and no more."""
    seen: dict[Connection, Seen] = {}
    for event in events:
        record = seen.setdefault(event.connection, Seen(event.connection))
        assert not record.ended
        if isinstance(event, StreamData):
            assert event.data
            parts = record.parts[event.direction]
            if parts and isinstance(parts[-1], bytes):
                parts[-1] += event.data
            else:
                parts.append(event.data)
        elif isinstance(event, StreamGap):
            assert event.length is None or event.length > 0
            record.parts[event.direction].append(event.length)
        elif isinstance(event, StreamConflict):
            record.conflicts.append((event.direction, event.ranges))
        else:
            assert isinstance(event, ConnectionEnd)
            record.ended = True
    assert all(record.ended for record in seen.values())
    return list(seen.values())


class Talk:
    """A conversation between client and server, packet by packet; sequence numbers start where the test says."""

    def __init__(
        self, *, client_sequence: int = 1_000, server_sequence: int = 5_000, client_port: int = 40_000
    ) -> None:
        self.ports = (client_port, 9092)
        self.next = [client_sequence, server_sequence]
        self.frames: list[bytes] = []

    def packet(
        self, side: int, flags: int = ACK, data: bytes = b"", *, sequence: int | None = None, ack: int | None = None
    ) -> bytes:
        """One packet of `side` (0 client, 1 server), not recorded."""
        acknowledgement = (self.next[1 - side] if ack is None else ack) if flags & ACK else 0
        number = self.next[side] if sequence is None else sequence
        addresses = (CLIENT, SERVER) if side == 0 else (SERVER, CLIENT)
        ports = self.ports if side == 0 else self.ports[::-1]
        return ethernet(ipv4(*addresses, tcp(*ports, number, acknowledgement, flags, data)))

    def send(self, side: int, data: bytes = b"", flags: int = ACK) -> "Talk":
        """The next packet of `side`, recorded, and its sequence number moved on."""
        self.frames.append(self.packet(side, flags, data))
        self.next[side] += len(data) + bool(flags & (SYN | FIN))
        return self

    def open(self) -> "Talk":
        return self.send(0, flags=SYN).send(1, flags=SYN | ACK).send(0)

    def close(self) -> "Talk":
        return self.send(0, flags=FIN | ACK).send(1, flags=FIN | ACK).send(0)
