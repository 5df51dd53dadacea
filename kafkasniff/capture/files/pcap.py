"""The pcap format and its old variants: file header and record walk (draft-ietf-opsawg-pcap, libpcap sf-pcap.c)."""

import struct
from array import array
from typing import NamedTuple

from kafkasniff.capture.files.records import RecordWalker
from kafkasniff.capture.files.walk import MAX_RECORD_BYTES, Columns, Walk
from kafkasniff.capture.packets import Interface

FILE_HEADER_LENGTH = 24
RECORD_HEADER_LENGTH = 16

# libpcap's MAXIMUM_SNAPLEN: packets up to this length are believed whatever the file header says.
MIN_CAPTURED_LIMIT = 262_144

# AIX's tcpdump writes version 2.2 with BSD's interface types, and nanoseconds (Wireshark, wiretap/libpcap.c).
AIX_LINK_TYPES = {6: 1, 9: 6, 15: 10, 24: 0}


class Variant(NamedTuple):
    """What the magic number tells of a pcap file."""

    nanoseconds: bool
    record_padding: int = 0
    """Bytes that follow the four fields of each record header."""
    file_padding: int = 0
    """Bytes that follow the 24 bytes of the file header."""


VARIANTS = {
    0xA1B2C3D4: Variant(nanoseconds=False),
    0xA1B23C4D: Variant(nanoseconds=True),
    # Alexey Kuznetzov's patched libpcap adds interface index, protocol and packet type to each record.
    0xA1B2CD34: Variant(nanoseconds=False, record_padding=8),
    # Ixia's hardware and software captures put the length of all records behind the file header (Wireshark, libpcap.c).
    0x1C0001AC: Variant(nanoseconds=True, file_padding=4),
    0x1C0001AB: Variant(nanoseconds=True, file_padding=4),
}
MAGICS = {struct.pack(order + "I", magic): (order, variant) for magic, variant in VARIANTS.items() for order in "<>"}


class PcapWalker:
    """Finds the packets of a pcap file in a buffer that moves over it."""

    record_name = "packet record"

    def __init__(self, header: bytes, file: str) -> None:
        """Take the first 24 bytes of the capture `file`, whose first four are in `MAGICS`."""
        order, variant = MAGICS[header[:4]]
        major, minor, _, _, snap_length, network = struct.unpack_from(order + "HHiIII", header, 4)
        # The upper bits hold the length of the frame check sequence or are reserved.
        link_type = network & 0xFFFF
        aix = (major, minor) == (2, 2) and link_type in AIX_LINK_TYPES
        if aix:
            link_type = AIX_LINK_TYPES[link_type]
        nanoseconds = variant.nanoseconds or aix
        self.file_header_length = FILE_HEADER_LENGTH + variant.file_padding
        self.interfaces = [Interface(file, link_type, 9 if nanoseconds else 6, snap_length)]
        self.secrets: list[bytes] = []
        self.notes: list[str] = []
        # Up to version 2.3 some writers put the original length first (libpcap, sf-pcap.c).
        swapped = (major, minor) <= (2, 3) and not aix
        limit = min(max(snap_length, MIN_CAPTURED_LIMIT), MAX_RECORD_BYTES)
        header_length = RECORD_HEADER_LENGTH + variant.record_padding
        self._records = RecordWalker(order == ">", header_length, 1 if nanoseconds else 1000, limit, swapped)

    def walk(self, data: bytes, position: int, first_packet: int) -> Walk:
        """Find the packets that are whole in `data` from `position` on, at most `MAX_BATCH_PACKETS`."""
        columns = Columns()
        position, need, damage = self._records.walk(data, position, columns)
        columns.interface_ids = array("q", bytes(8 * len(columns.offsets)))
        return Walk(columns.batch(data, first_packet, self.interfaces), position, need, damage)
