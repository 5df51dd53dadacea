# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""The batch interface between capture and tcp: packets as columns over one buffer."""

from array import array
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any, also for programs that use the classes
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython


_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def datetime_of(nanoseconds: int) -> datetime:
    """Give a time (ns since 1970-01-01 UTC) as far as a datetime holds it: microseconds, and the year 9999."""
    try:
        return _BEGINNING + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


class Interface:
    """Where packets were captured: one per pcap file, one per pcapng interface description; not to be changed."""

    __slots__ = ("file", "link_type", "name", "snap_length", "time_digits")

    TYPES = {"file": str, "link_type": int, "time_digits": int, "snap_length": int, "name": str}  # noqa: RUF012
    """Of what it is made of, for `typed_json`."""

    def __init__(
        self,
        file: str,
        link_type: int,
        time_digits: int = 6,
        snap_length: int = 0,
        name: str = "",
    ) -> None:
        """Take what is known of it."""
        self.file = file
        """The file's path as the user gave it; `-` for standard input."""
        self.link_type = link_type
        """LINKTYPE_ number (https://www.tcpdump.org/linktypes.html)."""
        self.time_digits = time_digits
        """Decimal digits of a second that time stamps have: 6 for microseconds, 9 for nanoseconds."""
        self.snap_length = snap_length
        """Most bytes kept of a packet; 0 when not known."""
        self.name = name
        """The interface's name where the capture tells it (pcapng if_name)."""


@cython.final
@cython.no_gc
@cython.freelist(4096)
@cython.cclass
class Arrival:
    """When and where a packet was seen; compared by time, number and interface."""

    __slots__ = ("interface", "packet", "time")

    TYPES = {"time": int, "packet": int, "interface": Interface}  # noqa: RUF012
    """Of its fields, for `typed_json`."""

    def __init__(self, time: int, packet: int, interface: Interface) -> None:
        """Take `time` in ns since 1970-01-01 UTC, and the packet's number within its file, from 1."""
        self.time = time
        self.packet = packet
        self.interface = interface

    @property
    def datetime(self) -> datetime:
        """Give its time in UTC, to the microsecond."""
        return datetime_of(self.time)

    @property
    def order(self) -> tuple[int, int]:
        """Give what sorts packets as they came."""
        return self.time, self.packet

    def at(self, time: int) -> "Arrival":
        """Give the same packet at another time."""
        return Arrival(time, self.packet, self.interface)

    def __eq__(self, other: object) -> bool:
        """Tell whether the packet is the same."""
        if not isinstance(other, Arrival):
            return False
        return self.order == other.order and self.interface is other.interface

    def __hash__(self) -> int:
        """Hash time and number."""
        return hash(self.order)

    def __repr__(self) -> str:
        """Give the time, the packet's number and its file, without the folders."""
        return f"Arrival({self.time}, {self.packet}, {self.interface.file.rpartition('/')[2]!r})"


def new_arrival(time: int, packet: int, interface: Interface) -> Arrival:
    """Make an arrival, sooner than by calling the class."""
    arrival = Arrival.__new__(Arrival)
    arrival.time = time
    arrival.packet = packet
    arrival.interface = interface
    return arrival


class PacketBatch:
    """Packets of one file in file order, or of several merged by time: columns of equal length over one buffer.

    Columns are arrays of int64 (typecode `q`), so that plain code indexes them and NumPy sees them without a copy.
    """

    def __init__(
        self,
        data: bytes,
        first_packet: int,
        offsets: "array[int]",
        captured: "array[int]",
        original: "array[int]",
        times: "array[int]",
        interface_ids: "array[int]",
        interfaces: list[Interface],
        numbers: "array[int] | None" = None,
    ) -> None:
        """Take the columns."""
        self.data = data
        """The buffer that holds the bytes of every packet of the batch."""
        self.first_packet = first_packet
        """1-based number, within the file, of the batch's first packet; the others follow without a break."""
        self.offsets = offsets
        """Position in `data` of each packet's first byte."""
        self.captured = captured
        """Bytes of each packet that are in `data`."""
        self.original = original
        """Bytes each packet had on the wire (at least `captured`)."""
        self.times = times
        """Nanoseconds since 1970-01-01 UTC, none negative, so that the difference of any two has 64 bits too."""
        self.interface_ids = interface_ids
        """Index into `interfaces` for each packet."""
        self.interfaces = interfaces
        self.numbers = numbers
        """1-based number of each packet within its file, where the packets do not follow each other without a break."""

    def __len__(self) -> int:
        """Give the number of packets."""
        return len(self.offsets)

    def arrival(self, index: int) -> Arrival:
        """Give time, number and interface of the packet at `index` of this batch."""
        number = self.first_packet + index if self.numbers is None else self.numbers[index]
        return Arrival(self.times[index], number, self.interfaces[self.interface_ids[index]])
