"""The pcap format and its old variants: file header and record walk (draft-ietf-opsawg-pcap, libpcap sf-pcap.c)."""

import struct
from array import array
from collections.abc import Iterator
from itertools import repeat
from typing import NamedTuple

from kafkasniff.capture.packets import Interface
from kafkasniff.capture.walk import MAX_BATCH_PACKETS, MAX_RECORD_BYTES, Columns, Walk

FILE_HEADER_LENGTH = 24

# libpcap's MAXIMUM_SNAPLEN: packets up to this length are believed whatever the file header says.
MIN_CAPTURED_LIMIT = 262_144

FIRST_RECORDS = 64
"""Records that are walked one by one to learn how long they are."""

LOCKSTEP_RECORDS = 4_096
"""Records from which on finding them by columns is worth its fixed cost."""

MOST_GUESSES = 64
"""Places that are looked at for each record that is guessed."""

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
        self._record_header = struct.Struct(f"{order}IIII{variant.record_padding}x")
        self._fraction_ns = 1 if nanoseconds else 1000
        # Up to version 2.3 some writers put the original length first (libpcap, sf-pcap.c).
        self._lengths_swapped = (major, minor) <= (2, 3) and not aix
        self._captured_limit = min(max(snap_length, MIN_CAPTURED_LIMIT), MAX_RECORD_BYTES)

    def walk(self, data: bytes, position: int, first_packet: int) -> Walk:
        """Find the packets that are whole in `data` from `position` on, at most `MAX_BATCH_PACKETS`."""
        columns = Columns()
        position, need, damage = self._walk(data, position, columns, FIRST_RECORDS)
        if len(columns.offsets) == FIRST_RECORDS:
            per_record = (position - columns.offsets[0]) // FIRST_RECORDS + 1
            if len(data) - position > LOCKSTEP_RECORDS * per_record:
                position = self._walk_columns(data, position, columns, per_record)
            position, need, damage = self._walk(data, position, columns, MAX_BATCH_PACKETS - len(columns.offsets))
        columns.interface_ids = array("q", [0]) * len(columns.offsets)
        return Walk(columns.batch(data, first_packet, self.interfaces), position, need, damage)

    def _walk(self, data: bytes, position: int, columns: Columns, most: int) -> tuple[int, int, str | None]:
        """Add up to `most` packets record by record; give position, need and damage as in `Walk`."""
        unpack = self._record_header.unpack_from
        header_length = self._record_header.size
        fraction_ns, captured_limit, lengths_swapped = self._fraction_ns, self._captured_limit, self._lengths_swapped
        size = len(data)
        last_header = size - header_length
        add_offset, add_captured = columns.offsets.append, columns.captured.append
        add_original, add_time = columns.original.append, columns.times.append
        for _ in repeat(None, most):
            if position > last_header:
                break
            seconds, fraction, captured, original = unpack(data, position)
            if captured > original:
                if lengths_swapped:
                    captured, original = original, captured
                else:
                    original = captured
            offset = position + header_length
            end = offset + captured
            if captured > captured_limit:
                damage = f"expected at most {captured_limit} bytes of packet data, found a length of {captured}"
                return position, header_length, damage
            if end > size:
                return position, header_length + captured, None
            add_offset(offset)
            add_captured(captured)
            add_original(original)
            add_time(seconds * 1_000_000_000 + fraction * fraction_ns)
            position = end
        return position, header_length, None

    def _walk_columns(self, data: bytes, position: int, columns: Columns, per_record: int) -> int:
        """Add as many packets as can be found at once without doubt; give where the next record begins.

        `per_record` is about how many bytes a record takes.
        """
        # NumPy takes longer to import than a small capture to read.
        import numpy as np

        from kafkasniff.capture.lockstep import FARTHEST_WALK, RECORDS_PER_WALKER, Numbers, walk_lockstep

        header_length, order = self._record_header.size, self._record_header.format[0]
        words = np.ndarray((len(data) - 3,), order + "u4", data, 0, (1,))

        def next_records(positions: Numbers) -> Numbers:
            following: Numbers = positions + header_length + words[positions + 8]
            return following

        most = MAX_BATCH_PACKETS - len(columns.offsets)
        end = min(len(data) - header_length, position + most * per_record)
        guesses = self._guess_records(data, position, end, min(RECORDS_PER_WALKER * per_record, FARTHEST_WALK))
        records = walk_lockstep(next_records, position, guesses, end)[:most]
        captured, original = (words[records + at].astype(np.int64) for at in (8, 12))
        offsets = records + header_length
        # What needs a closer look, and all behind it, is left to the walk record by record.
        plain = (captured <= original) & (captured <= self._captured_limit) & (offsets + captured <= len(data))
        count = len(records) if plain.all() else int(np.argmin(plain))
        times = (
            words[records].astype(np.int64) * 1_000_000_000 + words[records + 4].astype(np.int64) * self._fraction_ns
        )
        for column, values in (
            (columns.offsets, offsets),
            (columns.captured, captured),
            (columns.original, original),
            (columns.times, times),
        ):
            column.frombytes(values[:count].tobytes())
        return int(offsets[count - 1] + captured[count - 1]) if count else position

    def _guess_records(self, data: bytes, position: int, end: int, distance: int) -> Iterator[int]:
        """Give what look like records, about one in each `distance` bytes, by the upper half of their seconds."""
        header = self._record_header
        upper = 2 if header.format[0] == "<" else 0
        pattern = data[position + upper : position + upper + 2]
        for place in range(position + distance, end, distance):
            found = place
            for _ in repeat(None, MOST_GUESSES):
                found = data.find(pattern, found, min(place + distance, end))
                if found < 0:
                    break
                found += 1
                guess = found - 1 - upper
                captured, original = header.unpack_from(data, guess)[2:]
                following = guess + header.size + captured
                plausible = captured <= original <= self._captured_limit and following <= len(data) - header.size
                if plausible and data.startswith(pattern, following + upper):
                    yield guess
                    break
