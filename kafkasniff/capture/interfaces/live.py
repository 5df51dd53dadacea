"""Packets from network interfaces, in batches: scapy opens the sockets, a ring in shared memory carries the packets."""

import select
import socket
import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.merge import NO_PACKETS
from kafkasniff.capture.interfaces.opening import join_group, link_type, open_interface
from kafkasniff.capture.interfaces.receive import PacketReceiver, PcapReceiver
from kafkasniff.capture.interfaces.ring import RETIRE_MS, PacketColumns, PacketRing
from kafkasniff.capture.packets import Interface, PacketBatch

RING_BYTES = 64 << 20
"""Of each interface."""
WAIT_MS = 50
"""How long to wait for packets before an empty batch says that there are none."""
GATHER_SECONDS = 0.1
"""Where many packets come, those of so long are taken at once: in large batches each costs less."""
_MANY_BYTES = 192 << 10
"""From so much on there are many: a block of the ring was filled before its time."""
_GATHERED_SHARE = 8
"""What was taken may be this part of each ring at most if more is to be gathered, so that a burst finds room."""


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
        group: int | None = None,
    ) -> None:
        """Listen to the interfaces `names`, `any` for all; raises CaptureError, which says what to do.

        `bpf_filter` is one in libpcap's language. `ring_bytes` is the memory for packets that wait, of each interface;
        0: no ring, packets are received one by one. `file` is what the packets' interfaces name as their file: where
        they are written to; None: the interfaces' names. `group`: of sockets of several processes that share the
        connections; each interface has one of its own, counted from it.
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
        self._gathered_bytes = 0
        try:
            for name in dict.fromkeys(names):
                listen_socket, packets, notice = open_interface(sys.platform, name, bpf_filter, ring_bytes)
                self._sources.append(_Source(name, listen_socket, packets, {}))
                if group is not None:
                    join_group(name, listen_socket, (group + len(self._sources)) & 0xFFFF)
                self.notices += [notice] if notice is not None else []
            if all(isinstance(source.packets, PacketRing) for source in self._sources):
                self._gathered_bytes = ring_bytes // _GATHERED_SHARE
        except CaptureError:
            self.close()
            raise

    def batches(self) -> Iterator[PacketBatch]:
        """Give packets as they come, and an empty batch where none wait and after 50 ms in which none came.

        Ends after `stop`, and when no interface is left.
        """
        while self._sources and not self._stopped:
            begun = time.monotonic()
            taken = self._take_all()
            yield from taken or (NO_PACKETS,)
            if not taken:
                self._wait()
            elif _MANY_BYTES <= max(len(batch.data) for batch in taken) <= self._gathered_bytes:
                time.sleep(max(begun + GATHER_SECONDS - time.monotonic(), 0))
        # What came until now becomes visible when the block that it is in is handed over.
        end = time.time_ns()
        time.sleep(2 * RETIRE_MS / 1000)
        while taken := self._take_all():
            yield from taken
            if max((batch.times[-1] for batch in taken if len(batch)), default=0) >= end:
                break

    def discard(self) -> None:
        """Let go of the packets that came so far."""
        while self._take_all():
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

    def _take_all(self) -> list[PacketBatch]:
        """Take what each interface has, once, the earliest first; let go of interfaces that were lost."""
        taken = []
        for source in list(self._sources):
            try:
                columns = source.packets.take()
            except OSError:
                self._lose(source)
            else:
                taken += [(columns, source)] if columns is not None else []
        taken.sort(key=lambda each: each[0].times[:1])
        return [self._batch(columns, source) for columns, source in taken]

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
            return Interface(self._file, source.packets.link_type, 6, 0, source.name)
        try:
            name = socket.if_indextoname(number >> 16)
        except OSError:
            # It went while its last packets waited.
            name = source.name
        return Interface(self._file, link_type(number & 0xFFFF), 9, 0, name)

    def _wait(self) -> None:
        """Wait for packets, or for an interface to be lost, for 50 ms at most."""
        # poll() knows no BPF devices on macOS (poll(2) there), and some have no descriptor to wait for.
        descriptors = [source.listen_socket.fileno() for source in self._sources]
        select.select([each for each in descriptors if each >= 0], [], [], WAIT_MS / 1000)

    def _lose(self, source: _Source) -> None:
        self.count()
        self._sources.remove(source)
        self._lost.append(source)
        source.packets.close()
        source.listen_socket.close()
        text = f"{source.name}: the interface went down or was removed; start again when it is up"
        self.failures.append(CaptureError(text))
