"""A packet socket's receive ring in memory shared with the kernel: TPACKET_V3 (packet_mmap.rst of the Linux kernel)."""

import mmap
import os
import socket
import struct
import time
from array import array
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # of the extra `live`
    import numpy as np
    from numpy.typing import NDArray

SOL_PACKET = 263
PACKET_RX_RING = 5
PACKET_STATISTICS = 6
PACKET_VERSION = 10
TPACKET_V3 = 2

BLOCK_BYTES = 256 << 10
"""The kernel fills a block and hands it over as a whole; of a larger packet the rest is cut."""
RETIRE_MS = 40
"""A block that is not full is handed over after about this time. A ring of 256 blocks so bridges ten seconds at least,
in which it is not read."""
_TAKEN_BYTES = 16 << 20
"""Where blocks wait, so many bytes are taken at once: many packets cost less than as many times few."""
_FRAME_BYTES = 2048
"""TPACKET_V3 packs packets closely and uses this for nothing but a check of its arguments."""

_STATUS = struct.Struct("<I")
_STATUS_AT = 8
_USER = 1
"""TP_STATUS_USER: the block is ours until its status is set to 0, TP_STATUS_KERNEL."""
_BLOCK = struct.Struct("<12xIII")
"""struct tpacket_block_desc: number of packets, position of the first, bytes used."""
_STATISTICS = struct.Struct("<III")
"""struct tpacket_stats_v3: packets, the dropped ones among them, times that the queue was full."""

_VLAN_VALID = 1 << 4
_TPID_VALID = 1 << 6
_VLAN_ETHERTYPE = 0x8100

ARPHRD_LOOPBACK = 772


class PacketColumns(NamedTuple):
    """Packets as columns, in the order in which the kernel saw them."""

    data: bytes
    """The buffer that holds the bytes of all of them."""
    offsets: "array[int]"
    captured: "array[int]"
    original: "array[int]"
    times: "array[int]"
    """Nanoseconds since 1970-01-01 UTC."""
    sources: "array[int]"
    """Each packet's interface: its index times 65,536 plus its ARPHRD_ number."""


class PacketRing:
    """The ring of one packet socket, from which whole blocks of packets are taken."""

    def __init__(self, packet_socket: socket.socket, size: int) -> None:
        """Map about `size` bytes; raises OSError where the kernel has no such ring or not the memory."""
        _header_type()  # not later, when `live` is another user who may not read NumPy
        self._socket = packet_socket
        self._blocks = max(size // BLOCK_BYTES, 2)
        total = self._blocks * BLOCK_BYTES
        packet_socket.setsockopt(SOL_PACKET, PACKET_VERSION, TPACKET_V3)
        # struct tpacket_req3
        request = struct.pack("7I", BLOCK_BYTES, self._blocks, _FRAME_BYTES, total // _FRAME_BYTES, RETIRE_MS, 0, 0)
        packet_socket.setsockopt(SOL_PACKET, PACKET_RX_RING, request)
        self._memory = mmap.mmap(packet_socket.fileno(), total)
        self._next = 0
        self._lost = 0
        """errno of why nothing more comes."""

    def take(self) -> PacketColumns | None:
        """Take the next blocks that the kernel has handed over; None when there are none yet.

        Raises OSError when the interface is lost.
        """
        pieces: list[bytes] = []
        places: list[int] = []
        size = 0
        while size < _TAKEN_BYTES and (block := self._take_block()) is not None:
            data, at, count = block
            words = memoryview(data).cast("I")
            for _ in range(count):
                places.append(size + at)
                at += words[at >> 2]
            pieces.append(data)
            size += len(data)
        if pieces:
            return _columns(b"".join(pieces), places)
        if self._lost:
            raise OSError(self._lost, os.strerror(self._lost))
        # Said once. What came before it becomes visible when its block is handed over.
        self._lost = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if self._lost:
            time.sleep(2 * RETIRE_MS / 1000)
        return None

    def _take_block(self) -> tuple[bytes, int, int] | None:
        """Give a block's bytes, the position of its first packet and their number; the kernel has the block back."""
        at = self._next * BLOCK_BYTES
        memory = self._memory
        if not _STATUS.unpack_from(memory, at + _STATUS_AT)[0] & _USER:
            return None
        count, first, length = _BLOCK.unpack_from(memory, at)
        data = memory[at : at + (length + 7 & ~7)]
        _STATUS.pack_into(memory, at + _STATUS_AT, 0)
        self._next = (self._next + 1) % self._blocks
        return data, first, count

    def statistics(self) -> tuple[int, int]:
        """Give how many packets the socket was offered since the last time, and how many of them it dropped."""
        packets, drops, _ = _STATISTICS.unpack(self._socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, _STATISTICS.size))
        return packets, drops

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()


@cache
def _header_type() -> "np.dtype[np.void]":
    """Give the layout of struct tpacket3_hdr, and behind it struct sockaddr_ll."""
    import numpy as np

    return np.dtype(
        {
            "names": ["sec", "nsec", "captured", "length", "status", "mac", "tci", "tpid", "index", "hardware", "kind"],
            "formats": ["<u4", "<u4", "<u4", "<u4", "<u4", "<u2", "<u4", "<u2", "<i4", "<u2", "u1"],
            "offsets": [4, 8, 12, 16, 20, 24, 32, 36, 52, 56, 58],
            "itemsize": 68,
        }
    )


def _columns(data: bytes, places: list[int]) -> PacketColumns:
    """Give the packets whose struct tpacket3_hdr stands at each of `places`."""
    import numpy as np

    header = _header_type()
    headers_at = np.array(places, np.int64)
    # Of headers that stand anywhere: a view with an entry for every position, from which rows are gathered.
    everywhere = np.ndarray((max(len(data) - header.itemsize + 1, 0),), f"V{header.itemsize}", data, 0, (1,))
    headers = everywhere[headers_at].view(header)
    sources = headers["index"].astype(np.int64) << 16 | headers["hardware"]
    # On the loopback interface each packet is seen twice: going out and coming in.
    twice = (headers["kind"] == socket.PACKET_OUTGOING) & (headers["hardware"] == ARPHRD_LOOPBACK)
    if twice.any():
        kept = ~twice
        headers, headers_at, sources = headers[kept], headers_at[kept], sources[kept]
    offsets = headers_at + headers["mac"]
    captured = headers["captured"].astype(np.int64)
    original = headers["length"].astype(np.int64)
    tagged = np.flatnonzero(headers["status"] & _VLAN_VALID)
    if len(tagged):
        data = _with_tags(data, headers, tagged.tolist(), offsets, captured)
        original[tagged] += 4
    times = headers["sec"].astype(np.int64) * 10**9 + headers["nsec"]
    return PacketColumns(
        data, *(array("q", column.tobytes()) for column in (offsets, captured, original, times, sources))
    )


def _with_tags(
    data: bytes,
    headers: "NDArray[np.void]",
    tagged: list[int],
    offsets: "NDArray[np.int64]",
    captured: "NDArray[np.int64]",
) -> bytes:
    """Put back the VLAN tags that the kernel took out, on copies of the packets behind all others."""
    pieces = [data]
    end = len(data)
    for index in tagged:
        at, length, header = int(offsets[index]), int(captured[index]), headers[index]
        tpid = int(header["tpid"]) if header["status"] & _TPID_VALID else _VLAN_ETHERTYPE
        tag = struct.pack(">HH", tpid, int(header["tci"]) & 0xFFFF)
        pieces += (data[at : at + 12], tag, data[at + 12 : at + length])
        offsets[index], captured[index] = end, length + 4
        end += length + 4
    return b"".join(pieces)
