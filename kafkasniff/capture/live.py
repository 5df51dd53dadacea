"""Packets from network interfaces, in batches: scapy opens the sockets, a ring in shared memory carries the packets."""

import ctypes
import logging
import os
import select
import socket
import struct
import sys
import time
from array import array
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.merge import NO_PACKETS
from kafkasniff.capture.packets import Interface, PacketBatch
from kafkasniff.capture.receive import PacketReceiver, PcapReceiver
from kafkasniff.capture.ring import RETIRE_MS, PacketColumns, PacketRing

ANY = "any"
"""Names all interfaces, also those that come up later."""
RING_BYTES = 64 << 20
"""Of each interface."""
WAIT_MS = 50
"""How long to wait for packets before an empty batch says that there are none."""

_DLT_RAW = 12
_LINKTYPE_RAW = 101
_LINKTYPE_ETHERNET = 1
_ARPHRD_UNKNOWN = 0xFFFF
_FALL_BACK = "tcpdump -i {name} -U -w - | kafkasniff read -"


@dataclass(slots=True)
class _Source:
    """An interface that is listened to, or all of them."""

    name: str
    listen_socket: Any
    packets: PacketRing | PacketReceiver | PcapReceiver
    interface_ids: dict[int, int]
    """Index into `LiveCapture.interfaces` by what stands in `PacketColumns.sources`."""
    received: int = 0
    dropped: int = 0


class LiveCapture:
    """Network interfaces that are listened to from the moment of construction until `close`."""

    def __init__(
        self,
        names: Sequence[str],
        *,
        bpf_filter: str | None = None,
        ring_bytes: int = RING_BYTES,
        file: str | None = None,
    ) -> None:
        """Listen to the interfaces `names`, `any` for all; raises CaptureError, which says what to do.

        `bpf_filter` is one in libpcap's language. `ring_bytes` is the memory for packets that wait, of each interface;
        0: no ring, packets are received one by one. `file` is what the packets' interfaces name as their file: where
        they are written to; None: the interfaces' names.
        """
        self.interfaces: list[Interface] = []
        self.failures: list[CaptureError] = []
        """Interfaces that were lost, and why."""
        self.notices: list[str] = []
        """What makes the capture less than it could be."""
        self._file = file or ",".join(names)
        self._sources: list[_Source] = []
        self._lost: list[_Source] = []
        self._next_packet = 1
        self._stopped = False
        try:
            for name in dict.fromkeys(names):
                self._sources.append(self._open(name, bpf_filter, ring_bytes))
        except CaptureError:
            self.close()
            raise

    def batches(self) -> Iterator[PacketBatch]:
        """Give packets as they come, and an empty batch where none wait and after 50 ms in which none came.

        Ends after `stop`, and when no interface is left.
        """
        poll = select.poll()
        for source in self._sources:
            poll.register(source.listen_socket.fileno(), select.POLLIN)
        while self._sources and not self._stopped:
            if (yield from self._take_all()) is None:
                yield NO_PACKETS
                self._wait(poll)
        # What came until now becomes visible when the block that it is in is handed over.
        end = time.time_ns()
        time.sleep(2 * RETIRE_MS / 1000)
        while (taken := (yield from self._take_all())) is not None and taken < end:
            pass

    def stop(self) -> None:
        """Let `batches` end with the packets that came until now."""
        self._stopped = True

    def count(self) -> int:
        """Give how many packets the kernel dropped so far since the memory for them was full."""
        for source in self._sources:
            received, dropped = source.packets.statistics()
            source.received += received
            source.dropped += dropped
        return sum(source.dropped for source in self._sources + self._lost)

    def statistics(self) -> list[tuple[Interface, int, int]]:
        """Give of the interfaces that packets came from how many were offered, and how many of those dropped.

        Of `any` the first interface stands for all.
        """
        self.count()
        return [
            (self.interfaces[next(iter(source.interface_ids.values()))], source.received, source.dropped)
            for source in self._sources + self._lost
            if source.interface_ids
        ]

    def close(self) -> None:
        """Listen no more."""
        for source in self._sources:
            source.packets.close()
            source.listen_socket.close()
        self._sources = []

    def _take_all(self) -> Generator[PacketBatch, None, int | None]:
        """Take what each interface has, once, the earliest first. Returns the last time; None where there was none."""
        taken = [(columns, source) for source in self._sources if (columns := source.packets.take()) is not None]
        taken.sort(key=lambda each: each[0].times[:1])
        last = None
        for columns, source in taken:
            yield self._batch(columns, source)
            last = max([*columns.times[-1:], last or 0])
        return last

    def _batch(self, columns: PacketColumns, source: _Source) -> PacketBatch:
        ids = source.interface_ids
        for number in set(columns.sources) - ids.keys():
            ids[number] = len(self.interfaces)
            self.interfaces.append(self._describe(number, source))
        first, self._next_packet = self._next_packet, self._next_packet + len(columns.offsets)
        data, offsets, captured, original, times, sources = columns
        interface_ids = array("q", [ids[number] for number in sources])
        return PacketBatch(data, first, offsets, captured, original, times, interface_ids, self.interfaces)

    def _describe(self, number: int, source: _Source) -> Interface:
        if isinstance(source.packets, PcapReceiver):
            return Interface(self._file, source.listen_socket.pcap_fd.datalink(), 6, 0, source.name)
        try:
            name = socket.if_indextoname(number >> 16)
        except OSError:
            # It went while its last packets waited.
            name = source.name
        return Interface(self._file, _link_type(number & 0xFFFF), 9, 0, name)

    def _wait(self, poll: select.poll) -> None:
        """Wait for packets, for 50 ms at most, and let go of interfaces that were lost."""
        for descriptor, events in poll.poll(WAIT_MS):
            if events & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
                poll.unregister(descriptor)
                lost = next(each for each in self._sources if each.listen_socket.fileno() == descriptor)
                self._lose(lost)

    def _lose(self, source: _Source) -> None:
        self.count()
        self._sources.remove(source)
        self._lost.append(source)
        source.packets.close()
        source.listen_socket.close()
        text = f"{source.name}: the interface went down or was removed; start again when it is up"
        self.failures.append(CaptureError(text))

    # Opening

    def _open(self, name: str, bpf_filter: str | None, ring_bytes: int) -> _Source:
        try:
            if sys.platform == "linux":
                return self._open_packet_socket(name, bpf_filter, ring_bytes)
            if sys.platform == "darwin":
                return self._open_libpcap(name, bpf_filter)
        except PermissionError:
            raise CaptureError(_no_permission(name)) from None
        except OSError as error:
            raise CaptureError(f"{name}: cannot be listened to: {error.strerror or error}") from None
        fall_back = _FALL_BACK.format(name=name)
        raise CaptureError(f"{name}: live capture works on Linux and macOS; elsewhere use `{fall_back}`")

    def _open_packet_socket(self, name: str, bpf_filter: str | None, ring_bytes: int) -> _Source:
        names = [each for _, each in socket.if_nameindex()]
        if name != ANY and name not in names:
            raise CaptureError(f"{name}: no such interface; there are {', '.join(names)}, and `any` for all of them")
        listen_socket = _listen(name, names, bpf_filter)
        if ring_bytes:
            try:
                return _Source(name, listen_socket, PacketRing(listen_socket.ins, ring_bytes), {})
            except OSError as error:
                self.notices.append(
                    f"{name}: packets are received one by one, which is slow: no ring of {ring_bytes >> 20} MiB"
                    f" ({error.strerror})"
                )
                listen_socket.close()
                listen_socket = _listen(name, names, bpf_filter)
        return _Source(name, listen_socket, PacketReceiver(listen_socket), {})

    def _open_libpcap(self, name: str, bpf_filter: str | None) -> _Source:
        listen_socket = _listen_with_libpcap(name, bpf_filter)
        return _Source(name, listen_socket, PcapReceiver(listen_socket), {})


def _listen(name: str, names: Sequence[str], bpf_filter: str | None) -> Any:
    """Open a packet socket on an interface of Linux; raises OSError and CaptureError."""
    _quieten_scapy()
    from scapy.arch.linux import L2ListenSocket
    from scapy.data import ETH_P_ALL
    from scapy.error import Scapy_Exception

    if name == ANY and bpf_filter is not None:
        others = [each for each in names if _link_type(_hardware(each)) != _LINKTYPE_ETHERNET]
        if others:
            raise CaptureError(
                f"any: a filter fits interfaces of one kind, and {', '.join(others)} is of another than Ethernet;"
                " name the interfaces to listen to"
            )
    try:
        # An unknown interface has scapy look for the default one: of all interfaces, the first stands for them.
        listen_socket = L2ListenSocket(iface=names[0] if name == ANY else name, promisc=name != ANY, filter=bpf_filter)
    except (Scapy_Exception, ImportError) as error:
        raise CaptureError(_no_filter(bpf_filter, error)) from None
    if name == ANY:
        _bind_to_all(listen_socket.ins, ETH_P_ALL)
    return listen_socket


def _bind_to_all(packet_socket: socket.socket, protocol: int) -> None:
    """Have a packet socket hear all interfaces: index 0 (packet(7)), which Python's own `bind` cannot say."""
    # struct sockaddr_ll
    address = struct.pack("=HHiHBB8x", socket.AF_PACKET, socket.htons(protocol), 0, 0, 0, 0)
    if ctypes.CDLL(None, use_errno=True).bind(packet_socket.fileno(), address, len(address)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _listen_with_libpcap(name: str, bpf_filter: str | None) -> Any:
    """Open an interface through libpcap; raises OSError and CaptureError."""
    _quieten_scapy()
    from scapy.config import conf
    from scapy.error import Scapy_Exception

    try:
        conf.use_pcap = True
        from scapy.arch.libpcap import L2pcapListenSocket

        return L2pcapListenSocket(iface=name, filter=bpf_filter)
    except ImportError:
        raise CaptureError(f"{name}: libpcap is missing; install it, or use `{_FALL_BACK.format(name=name)}`") from None
    except Scapy_Exception as error:
        raise CaptureError(_no_filter(bpf_filter, error)) from None


def _quieten_scapy() -> None:
    # It warns of link types that it cannot dissect, which is not its task here.
    logging.getLogger("scapy").setLevel(logging.CRITICAL)


def _hardware(name: str) -> int:
    """Give an interface's ARPHRD_ number."""
    from scapy.interfaces import resolve_iface

    return int(getattr(resolve_iface(name), "type", _ARPHRD_UNKNOWN))


def _link_type(hardware: int) -> int:
    """Give the LINKTYPE_ number of what packet sockets give for an ARPHRD_ number."""
    from scapy.data import ARPHRD_TO_DLT

    dlt = ARPHRD_TO_DLT.get(hardware, _DLT_RAW)
    return _LINKTYPE_RAW if dlt == _DLT_RAW else int(dlt)


def _no_permission(name: str) -> str:
    return (
        f"{name}: no permission to capture; use sudo, or once `sudo setcap cap_net_raw+ep"
        f" {os.path.realpath(sys.executable)}`, or `sudo {_FALL_BACK.format(name=name)}`"
    )


def _no_filter(bpf_filter: str | None, error: Exception) -> str:
    if isinstance(error, ImportError) or "libpcap" in str(error):
        return "--filter: libpcap, which compiles it, is missing; install it (on Debian: apt install libpcap0.8)"
    return f"--filter: {bpf_filter!r} is no filter that libpcap understands: {error}"
