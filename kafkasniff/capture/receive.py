"""Packets of a scapy socket one by one: slower than the ring, for kernels and systems without it."""

import socket
import struct
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

from kafkasniff.capture.ring import ARPHRD_LOOPBACK, PACKET_STATISTICS, SOL_PACKET, PacketColumns

_LARGEST = 1 << 18
"""Bytes; more than any packet: with segmentation offload, more than 64 KiB stand in one."""
_AT_ONCE = 1_024
"""Packets that are taken before they are looked at."""
_WAITING_BYTES = 4 << 20
"""Of packets that wait in the kernel."""
_SO_RCVBUFFORCE = 33
_STATISTICS = struct.Struct("<II")
"""struct tpacket_stats: packets, the dropped ones among them."""


class PacketReceiver:
    """A Linux packet socket, read with a system call for each packet."""

    def __init__(self, listen_socket: Any) -> None:
        """Read from a scapy `L2ListenSocket`."""
        self._socket = listen_socket
        listen_socket.ins.setblocking(False)
        try:
            listen_socket.ins.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _WAITING_BYTES)
        except PermissionError:
            # Without CAP_NET_ADMIN as much as net.core.rmem_max allows.
            listen_socket.ins.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _WAITING_BYTES)

    def take(self) -> PacketColumns | None:
        """Take what there is, up to a thousand packets; None when there is nothing."""
        return _columns(self._packets())

    def _packets(self) -> Iterator[tuple[bytes, float, int]]:
        for _ in range(_AT_ONCE):
            try:
                # scapy puts back the VLAN tags that the kernel took out (PACKET_AUXDATA).
                data, (name, _, kind, hardware, _), seconds = self._socket._recv_raw(self._socket.ins, _LARGEST)
                # On the loopback interface each packet is seen twice: going out and coming in.
                if kind != socket.PACKET_OUTGOING or hardware != ARPHRD_LOOPBACK:
                    yield data, seconds, socket.if_nametoindex(name) << 16 | hardware
            except OSError:
                # Nothing more, or what polling reports too.
                return

    def statistics(self) -> tuple[int, int]:
        """Give how many packets the socket was offered since the last time, and how many of them it dropped."""
        packets, drops = _STATISTICS.unpack(
            self._socket.ins.getsockopt(SOL_PACKET, PACKET_STATISTICS, _STATISTICS.size)
        )
        return packets, drops

    def close(self) -> None:
        """Hold nothing: the socket is closed by whoever opened it."""


class PcapReceiver:
    """An interface read through libpcap, on systems that have no packet sockets."""

    def __init__(self, listen_socket: Any) -> None:
        """Read from a scapy `L2pcapListenSocket`."""
        self._socket = listen_socket
        listen_socket.pcap_fd.setnonblock(True)

    def take(self) -> PacketColumns | None:
        """Take what there is, up to a thousand packets; None when there is nothing."""
        return _columns(self._packets())

    def _packets(self) -> Iterator[tuple[bytes, float, int]]:
        for _ in range(_AT_ONCE):
            _, data, seconds = self._socket.recv_raw()
            if data is None:
                return
            yield data, seconds, 0

    def statistics(self) -> tuple[int, int]:
        """Give zeros: scapy does not pass on what libpcap counts."""
        return 0, 0

    def close(self) -> None:
        """Hold nothing: the socket is closed by whoever opened it."""


def _columns(packets: Iterable[tuple[bytes, float, int]]) -> PacketColumns | None:
    pieces, columns, end = [], [array("q") for _ in range(4)], 0
    for data, seconds, source in packets:
        pieces.append(data)
        for column, value in zip(columns, (end, len(data), round(seconds * 10**9), source), strict=True):
            column.append(value)
        end += len(data)
    offsets, lengths, times, sources = columns
    return PacketColumns(b"".join(pieces), offsets, lengths, lengths, times, sources) if pieces else None
