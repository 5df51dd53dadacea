"""Packets of simulated TCP connections, and the pcap file they are written to."""

import heapq
import struct
from collections.abc import Iterable, Iterator
from itertools import count
from random import Random
from typing import BinaryIO, NamedTuple

MAXIMUM_SEGMENT_SIZE = 1448
"""Payload bytes of a full segment: 1500 less IPv4 header (20), TCP header (20) and time stamp option (12)."""

CLIENT, SERVER = 0, 1
"""The two directions of a connection, named by their sender."""

FIN, SYN, PSH, ACK = 0x01, 0x02, 0x08, 0x10

_TCP = struct.Struct(">HHIIBBHHHIII")
_TIMESTAMP_OPTION = 0x0101080A
_IPV4 = struct.Struct(">BBHHHBBH")
_RECORD = struct.Struct("<IIII")
_SEGMENT_MICROSECONDS = 12
"""A full segment takes this long at 1 Gbit/s."""


class Packet(NamedTuple):
    """A frame on the wire."""

    time: int
    """Microseconds since 1970-01-01 UTC."""
    frame: bytes
    has_data: bool
    """Whether it carries stream bytes."""


class Host(NamedTuple):
    """An IPv4 host."""

    address: str
    port: int

    @property
    def packed_address(self) -> bytes:
        """Give the address as four bytes."""
        return bytes(map(int, self.address.split(".")))


class _Sender:
    """What stays the same in every packet of one direction, and its sequence number."""

    def __init__(self, source: Host, target: Host, random: Random) -> None:
        addresses = source.packed_address + target.packed_address
        # Locally administered MAC addresses that end in the IPv4 address.
        self.ethernet = b"\x02\x00" + addresses[4:] + b"\x02\x00" + addresses[:4] + b"\x08\x00"
        self.addresses = addresses
        self.ports = source.port, target.port
        self.sequence = random.getrandbits(32)
        self.identification = random.getrandbits(16)
        self.ticks = random.getrandbits(31)
        self.address_sum = sum(struct.unpack(">4H", addresses))


class Connection:
    """One simulated TCP connection; its methods yield packets and move its clock on."""

    def __init__(self, client: Host, server: Host, time: int, random: Random) -> None:
        """Start the clock at `time`, in microseconds since 1970-01-01 UTC."""
        self.time = time
        self._random = random
        self._senders = _Sender(client, server, random), _Sender(server, client, random)
        self._unacknowledged = [0, 0]

    def wait(self, microseconds: float) -> None:
        """Let time pass."""
        self.time += int(microseconds)

    def open(self) -> Iterator[Packet]:
        """Shake hands."""
        yield self._packet(CLIENT, SYN)
        self.wait(250)
        yield self._packet(SERVER, SYN | ACK)
        self.wait(250)
        yield self._packet(CLIENT, ACK)
        self.wait(50)

    def send(self, direction: int, data: bytes) -> Iterator[Packet]:
        """Send `data` as full segments and a rest; the peer acknowledges every second full one (RFC 9293, 3.8.6.3)."""
        end = len(data)
        for start in range(0, end, MAXIMUM_SEGMENT_SIZE):
            segment = data[start : start + MAXIMUM_SEGMENT_SIZE]
            last = start + MAXIMUM_SEGMENT_SIZE >= end
            yield self._packet(direction, ACK | PSH if last else ACK, segment)
            self.time += _SEGMENT_MICROSECONDS
            self._unacknowledged[direction] += 1
            self._unacknowledged[1 - direction] = 0
            if not last and self._unacknowledged[direction] >= 2:
                self._unacknowledged[direction] = 0
                yield self._packet(1 - direction, ACK)
                self.time += 1

    def close(self) -> Iterator[Packet]:
        """Say goodbye, the client first."""
        yield self._packet(CLIENT, FIN | ACK)
        self.wait(250)
        yield self._packet(SERVER, FIN | ACK)
        self.wait(250)
        yield self._packet(CLIENT, ACK)

    def _packet(self, direction: int, flags: int, data: bytes = b"") -> Packet:
        sender, peer = self._senders[direction], self._senders[1 - direction]
        source, target = sender.ports
        acknowledged = peer.sequence if flags & ACK else 0
        ticks = (sender.ticks + self.time // 1000) & 0xFFFFFFFF
        echo = (peer.ticks + self.time // 1000) & 0xFFFFFFFF if flags & ACK else 0
        if flags & SYN:
            header = _TCP.pack(
                source, target, sender.sequence, acknowledged, 0xA0, flags, 64240, 0, 0, 0x020405B4, 0x0402080A, ticks
            ) + struct.pack(">IBBBB", echo, 1, 3, 3, 7)
        else:
            header = _TCP.pack(
                source, target, sender.sequence, acknowledged, 0x80, flags, 502, 0, 0, _TIMESTAMP_OPTION, ticks, echo
            )
        segment = header + data
        length = len(segment)
        # A sum of 16-bit words with end-around carry (RFC 1071) is the number they spell, modulo 65535.
        words = int.from_bytes(segment if length % 2 == 0 else segment + b"\0", "big")
        checksum = -(words + sender.address_sum + 6 + length) % 65535
        sender.identification = (sender.identification + 1) & 0xFFFF
        ip_sum = 0x4500 + 20 + length + sender.identification + 0x4000 + 0x4006 + sender.address_sum
        frame = b"".join(
            (
                sender.ethernet,
                _IPV4.pack(0x45, 0, 20 + length, sender.identification, 0x4000, 64, 6, -ip_sum % 65535),
                sender.addresses,
                header[:16],
                checksum.to_bytes(2, "big"),
                segment[18:],
            )
        )
        sender.sequence = (sender.sequence + len(data) + (1 if flags & (SYN | FIN) else 0)) & 0xFFFFFFFF
        return Packet(self.time, frame, bool(data))


def disorder(packets: Iterable[Packet], reordered: float, lost: float, random: Random) -> Iterator[Packet]:
    """Let data packets of one connection arrive late by one to three packets, or be missing from the capture."""
    late: Packet | None = None
    overtaken_by = 0
    for packet in packets:
        if packet.has_data and random.random() < lost:
            continue
        if late is None and packet.has_data and random.random() < reordered:
            late, overtaken_by = packet, random.randint(1, 3)
            continue
        yield packet
        if late is not None:
            overtaken_by -= 1
            if overtaken_by == 0:
                yield late._replace(time=packet.time + 1)
                late = None
    # Nothing is still held here: a connection closes with three packets without data.


def interleave(connections: Iterable[tuple[int, Iterator[Packet]]]) -> Iterator[Packet]:
    """Merge connections, given by start time, into one stream in order of time; only those under way are held."""
    arrivals = iter(connections)
    upcoming = next(arrivals, None)
    numbers = count()
    under_way: list[tuple[int, int, Packet, Iterator[Packet]]] = []
    while under_way or upcoming:
        while upcoming and (not under_way or upcoming[0] <= under_way[0][0]):
            packets = upcoming[1]
            first = next(packets)
            heapq.heappush(under_way, (first.time, next(numbers), first, packets))
            upcoming = next(arrivals, None)
        _, number, packet, packets = under_way[0]
        yield packet
        following = next(packets, None)
        if following is None:
            heapq.heappop(under_way)
        else:
            heapq.heapreplace(under_way, (following.time, number, following, packets))


class PcapWriter:
    """A pcap file of Ethernet packets, in microseconds and little-endian."""

    def __init__(self, file: BinaryIO) -> None:
        """Write the file header."""
        self._file = file
        self.packets = 0
        self.size_bytes = file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))

    def write(self, packet: Packet) -> None:
        """Append a packet."""
        frame = packet.frame
        length = len(frame)
        self._file.write(_RECORD.pack(*divmod(packet.time, 1_000_000), length, length))
        self._file.write(frame)
        self.packets += 1
        self.size_bytes += 16 + length
