"""Packets of a scapy socket one by one: slower than the ring, for kernels and systems without it."""

import ctypes
import errno
import os
import socket
import struct
from array import array
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kafkasniff.capture.interfaces.ring import ARPHRD_LOOPBACK, PACKET_STATISTICS, SOL_PACKET, PacketColumns

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
        self._lost = 0
        """errno of why nothing more comes."""

    def take(self) -> PacketColumns | None:
        """Take what there is, up to a thousand packets; None when there is nothing. Raises OSError when it is lost."""
        columns = _columns(self._packets())
        if columns is None and self._lost:
            raise OSError(self._lost, os.strerror(self._lost))
        return columns

    def _packets(self) -> Iterator["_Packet"]:
        for _ in range(_AT_ONCE):
            try:
                # scapy puts back the VLAN tags that the kernel took out (PACKET_AUXDATA).
                data, (name, _, kind, hardware, _), seconds = self._socket._recv_raw(self._socket.ins, _LARGEST)
            except BlockingIOError:
                return
            except OSError as error:
                # Said once, before the packets that still wait.
                self._lost = error.errno or errno.EIO
                continue
            # On the loopback interface each packet is seen twice: going out and coming in.
            if kind != socket.PACKET_OUTGOING or hardware != ARPHRD_LOOPBACK:
                source = _index(name) << 16 | hardware
                yield _Packet(data, len(data), round(seconds * 10**9), source)

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

    def __init__(self, listen_socket: Any, link_type: int) -> None:
        """Read from a scapy `L2pcapListenSocket`, which gives packets of the LINKTYPE_ number `link_type`."""
        from scapy.libs import winpcapy

        self.link_type = link_type
        # scapy's own reading keeps neither original lengths nor errors, and copies each byte as an int.
        self._libpcap = winpcapy
        self._handle = listen_socket.pcap_fd.pcap
        self._header = ctypes.POINTER(winpcapy.pcap_pkthdr)()
        self._data = ctypes.POINTER(ctypes.c_ubyte)()
        self._received = self._dropped = 0
        self._lost = ""
        """Why nothing more comes, in libpcap's words."""
        listen_socket.pcap_fd.setnonblock(True)

    def take(self) -> PacketColumns | None:
        """Take what there is, up to a thousand packets; None when there is nothing. Raises OSError when it is lost."""
        columns = _columns(self._packets())
        if columns is None and self._lost:
            raise OSError(self._lost)
        return columns

    def _packets(self) -> Iterator["_Packet"]:
        for _ in range(_AT_ONCE):
            status = self._libpcap.pcap_next_ex(self._handle, ctypes.byref(self._header), ctypes.byref(self._data))
            if status < 0:
                # Said before the packets that still wait.
                self._lost = self._libpcap.pcap_geterr(self._handle).decode(errors="replace")
                continue
            if status == 0:
                return
            header = self._header.contents
            # macOS has 32 bits for the microseconds, and scapy before 2.8 takes the padding behind them in.
            time = header.ts.tv_sec * 10**9 + (header.ts.tv_usec & 0xFFFFFFFF) * 1_000
            yield _Packet(ctypes.string_at(self._data, header.caplen), header.len, time, 0)

    def statistics(self) -> tuple[int, int]:
        """Give how many packets came since the last time, and how many were dropped."""
        counts = self._libpcap.pcap_stat()
        if self._libpcap.pcap_stats(self._handle, ctypes.byref(counts)) < 0:
            return 0, 0
        received, dropped = counts.ps_recv - self._received, counts.ps_drop - self._dropped
        self._received, self._dropped = counts.ps_recv, counts.ps_drop
        # libpcap counts from the beginning, in 32 bits.
        return received & 0xFFFFFFFF, dropped & 0xFFFFFFFF

    def close(self) -> None:
        """Hold nothing: the socket is closed by whoever opened it."""


class _Packet(NamedTuple):
    data: bytes
    original: int
    time: int
    source: int


def _columns(packets: Iterable[_Packet]) -> PacketColumns | None:
    pieces, columns, end = [], [array("q") for _ in range(5)], 0
    for data, original, time, source in packets:
        pieces.append(data)
        for column, value in zip(columns, (end, len(data), original, time, source), strict=True):
            column.append(value)
        end += len(data)
    return PacketColumns(b"".join(pieces), *columns) if pieces else None


def _index(name: str) -> int:
    """Give an interface's index; 0 for one that went while its last packets waited."""
    try:
        return socket.if_nametoindex(name)
    except OSError:
        return 0
