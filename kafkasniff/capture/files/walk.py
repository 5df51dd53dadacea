"""What the walkers of both capture formats share."""

from array import array
from typing import Final, NamedTuple

from kafkasniff.capture.packets import Interface, PacketBatch

PCAPNG_MAGIC: Final = b"\x0a\x0d\x0d\x0a"
"""Type of the section header block, with which a pcapng file begins; the same in both byte orders."""

MAX_BATCH_PACKETS = 16_384
"""Packets in one batch."""

MAX_RECORD_BYTES = 128 << 20
"""Longest record or block that is believed (like Wireshark, wtap.h): a longer one is damage, not an allocation."""

MAX_TIME = (1 << 63) - 1
"""Latest time that a batch can hold, in ns since 1970 (the year 2262)."""


class Walk(NamedTuple):
    """What one walk over a buffer found."""

    batch: PacketBatch
    """The packets that are whole in the buffer; may be empty."""
    position: int
    """Where in the buffer the next record begins."""
    need: int
    """Bytes that must follow `position` for the next walk to get on."""
    damage: str | None
    """Why the record at `position` cannot be one; None while all is well."""


class Columns:
    """The columns of a batch while it grows."""

    def __init__(self) -> None:
        """Begin with no packets."""
        self.offsets = array("q")
        self.captured = array("q")
        self.original = array("q")
        self.times = array("q")
        self.interface_ids = array("q")

    def add(self, offset: int, captured: int, original: int, time: int, interface_id: int) -> None:
        """Add one packet; the meanings are those of `PacketBatch`."""
        self.offsets.append(offset)
        self.captured.append(captured)
        self.original.append(original)
        self.times.append(time)
        self.interface_ids.append(interface_id)

    def batch(self, data: bytes, first_packet: int, interfaces: list[Interface]) -> PacketBatch:
        """Give what was added as the batch of packets over `data`."""
        return PacketBatch(
            data, first_packet, self.offsets, self.captured, self.original, self.times, self.interface_ids, interfaces
        )
