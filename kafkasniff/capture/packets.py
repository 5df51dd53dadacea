"""The batch interface between capture and tcp: packets as columns over one buffer."""

from array import array
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, eq=False)
class Interface:
    """Where packets were captured: one per pcap file, one per pcapng interface description."""

    file: str
    """The file's path as the user gave it; `-` for standard input."""
    link_type: int
    """LINKTYPE_ number (https://www.tcpdump.org/linktypes.html)."""
    time_digits: int = 6
    """Decimal digits of a second that time stamps have: 6 for microseconds, 9 for nanoseconds."""
    snap_length: int = 0
    """Most bytes kept of a packet; 0 when not known."""
    name: str = ""
    """The interface's name where the capture tells it (pcapng if_name)."""


class Arrival(NamedTuple):
    """When and where a packet was seen."""

    time: int
    """Nanoseconds since 1970-01-01 UTC."""
    packet: int
    """1-based number of the packet within its file."""
    interface: Interface


@dataclass(slots=True)
class PacketBatch:
    """Packets of one file in file order, or of several merged by time: columns of equal length over one buffer.

    Columns are arrays of int64 (typecode `q`), so that plain code indexes them and NumPy sees them without a copy.
    """

    data: bytes
    """The buffer that holds the bytes of every packet of the batch."""
    first_packet: int
    """1-based number, within the file, of the batch's first packet; the others follow without a break."""
    offsets: "array[int]"
    """Position in `data` of each packet's first byte."""
    captured: "array[int]"
    """Bytes of each packet that are in `data`."""
    original: "array[int]"
    """Bytes each packet had on the wire (at least `captured`)."""
    times: "array[int]"
    """Nanoseconds since 1970-01-01 UTC."""
    interface_ids: "array[int]"
    """Index into `interfaces` for each packet."""
    interfaces: list[Interface]
    numbers: "array[int] | None" = None
    """1-based number of each packet within its file, where the packets do not follow each other without a break."""

    def __len__(self) -> int:
        """Give the number of packets."""
        return len(self.offsets)

    def arrival(self, index: int) -> Arrival:
        """Give time, number and interface of the packet at `index` of this batch."""
        number = self.first_packet + index if self.numbers is None else self.numbers[index]
        return Arrival(self.times[index], number, self.interfaces[self.interface_ids[index]])
