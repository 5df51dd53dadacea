"""The pcapng format: a walk over its blocks (draft-ietf-opsawg-pcapng)."""

import math
import struct
from collections.abc import Iterator
from typing import NamedTuple

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.records import ENHANCED_PACKET, EnhancedPackets
from kafkasniff.capture.files.walk import (
    MAX_BATCH_PACKETS,
    MAX_RECORD_BYTES,
    MAX_TIME,
    PCAPNG_MAGIC,
    Columns,
    Walk,
)
from kafkasniff.capture.packets import Interface

SECTION_HEADER = int.from_bytes(PCAPNG_MAGIC, "big")
INTERFACE_DESCRIPTION = 1
OBSOLETE_PACKET = 2
SIMPLE_PACKET = 3
DECRYPTION_SECRETS = 10

TLS_KEY_LOG = 0x544C534B
OPT_COMMENT = 1
IF_NAME, IF_TSRESOL, IF_TSOFFSET = 2, 9, 14
NS_PER_SECOND = 1_000_000_000

BYTE_ORDERS = {b"\x1a\x2b\x3c\x4d": ">", b"\x4d\x3c\x2b\x1a": "<"}

SECTION_PREFIX_LENGTH = 12
"""Bytes of a section header block up to and with its byte-order magic."""

SECTION_OPTIONS = 24
"""Where the options of a section header block begin."""
CHOSEN_CALLS = b"Packets of chosen calls, written by kafkasniff; those between them were left out."
"""The comment of a section that has not all packets of its connections."""

MIN_BLOCK_LENGTH = 12
MIN_SECTION_LENGTH = 28

# A hostile file could describe interfaces and carry secrets without end; no real one comes near.
MAX_INTERFACES = 65_536
MAX_SECRETS_BYTES = 64 << 20
MAX_NAME_BYTES = 256
"""Of an interface's name; Linux allows 15, and names of Windows have some 60."""
MAX_NAMES_BYTES = 1 << 20
"""Of the names of all interfaces of a file; those behind have none."""
MAX_OPTIONS = 256
"""Options of an interface that are looked at; fewer than 20 are defined."""


class SectionInterface(NamedTuple):
    """What a packet needs of its interface: its index in the file's list, and how ticks become ns since 1970."""

    interface_id: int
    numerator: int
    denominator: int
    offset: int
    """Nanoseconds to add to ticks * numerator // denominator."""


def section_length(prefix: bytes) -> int:
    """Give the length in bytes of the section header block that starts with `prefix` (12 bytes).

    Raises CaptureError, without file and offset, when it is none.
    """
    order = BYTE_ORDERS.get(prefix[8:12])
    if order is None:
        raise CaptureError(f"expected a byte-order magic, 1a 2b 3c 4d either way round, found {prefix[8:12].hex(' ')}")
    length: int = struct.unpack_from(order + "I", prefix, 4)[0]
    if length < MIN_SECTION_LENGTH or length % 4 or length > MAX_RECORD_BYTES:
        raise CaptureError(f"expected a section header block of 28 bytes or more, found a block length of {length}")
    return length


class PcapngWalker:
    """Finds the packets of a pcapng file in a buffer that moves over it."""

    record_name = "block"

    def __init__(self, file: str) -> None:
        """Walk the capture `file`, the first block of which must be a section header."""
        self.interfaces: list[Interface] = []
        self.secrets: list[bytes] = []
        self.notes: list[str] = []
        """Limits that were reached and what the file says of itself, in sentences."""
        self._file = file
        self._names_bytes = 0
        self._secrets_bytes = 0
        self._last_time = 0
        self._section_interfaces: list[SectionInterface] = []
        self._known_interfaces: dict[tuple[object, ...], int] = {}
        self._set_byte_order("<")

    def walk(self, data: bytes, position: int, first_packet: int) -> Walk:
        """Take in the blocks that are whole in `data` from `position` on, with at most `MAX_BATCH_PACKETS` packets."""
        size = len(data)
        columns = Columns()
        need = MIN_BLOCK_LENGTH
        damage = None
        while len(columns.offsets) < MAX_BATCH_PACKETS:
            position = self._enhanced_packets.take(data, position, columns)
            self._last_time = columns.times[-1] if columns.times else self._last_time
            if size - position < MIN_BLOCK_LENGTH or len(columns.offsets) == MAX_BATCH_PACKETS:
                break
            try:
                length = self._block_length(data, position)
                if size - position < length:
                    need = length
                    break
                self._take_block(data, position, length, columns)
            except CaptureError as error:
                damage = str(error)
                break
            position += length
        return Walk(columns.batch(data, first_packet, self.interfaces), position, need, damage)

    def _block_length(self, data: bytes, position: int) -> int:
        """Give the total length of the block at `position`, as far as it can be told from the first 12 bytes."""
        if data.startswith(PCAPNG_MAGIC, position):
            return section_length(data[position : position + SECTION_PREFIX_LENGTH])
        length: int = self._length.unpack_from(data, position + 4)[0]
        if length < MIN_BLOCK_LENGTH or length % 4 or length > MAX_RECORD_BYTES:
            raise CaptureError(f"expected a block length of 12 or more and a multiple of 4, found {length}")
        return length

    def _take_block(self, data: bytes, position: int, length: int, columns: Columns) -> None:
        """Take in one whole block; kinds that tell nothing of packets are passed over.

        Raises CaptureError, without file and offset, when the block is damaged.
        """
        if data.startswith(PCAPNG_MAGIC, position):
            self._begin_section(data, position)
        end = position + length - 4
        trailing_length = self._length.unpack_from(data, end)[0]
        if trailing_length != length:
            raise CaptureError(f"expected the block length {length} again at the block's end, found {trailing_length}")
        block_type = self._length.unpack_from(data, position)[0]
        body = position + 8
        if block_type == INTERFACE_DESCRIPTION:
            self._describe_interface(data, body, end)
        elif block_type in (ENHANCED_PACKET, OBSOLETE_PACKET):
            self._take_packet(data, body, end, block_type, columns)
        elif block_type == SIMPLE_PACKET:
            self._take_simple_packet(data, body, end, columns)
        elif block_type == DECRYPTION_SECRETS:
            self._keep_secrets(data, body, end)

    def _set_byte_order(self, order: str) -> None:
        self._order = order
        self._length = struct.Struct(order + "I")
        self._enhanced_packets = EnhancedPackets(order == ">")

    def _begin_section(self, data: bytes, position: int) -> None:
        """Start anew: byte order and interfaces hold for one section only."""
        self._set_byte_order(BYTE_ORDERS[data[position + 8 : position + 12]])
        major, minor = struct.unpack_from(self._order + "HH", data, position + 12)
        if major != 1:
            raise CaptureError(f"expected pcapng version 1, found {major}.{minor}")
        self._section_interfaces = []
        length = self._block_length(data, position)
        if (OPT_COMMENT, CHOSEN_CALLS) in self._options(data, position + SECTION_OPTIONS, position + length - 4):
            self._note(
                f"{self._file}: was written with the packets of chosen calls only; gaps and connections without a"
                " beginning are where others were"
            )

    def _describe_interface(self, data: bytes, body: int, end: int) -> None:
        if end - body < 8:
            raise CaptureError(f"expected an interface description of 8 bytes or more, found {end - body}")
        if len(self.interfaces) >= MAX_INTERFACES or len(self._section_interfaces) >= MAX_INTERFACES:
            raise CaptureError(f"expected at most {MAX_INTERFACES} interfaces, found more")
        link_type, snap_length = struct.unpack_from(self._order + "HxxI", data, body)
        name, ticks_per_second, offset_seconds = "", 1_000_000, 0
        for code, value in self._options(data, body + 8, end):
            if code == IF_NAME:
                name = self._name(value)
            elif code == IF_TSRESOL and len(value) == 1:
                exponent = value[0] & 0x7F
                ticks_per_second = 2**exponent if value[0] & 0x80 else 10**exponent
            elif code == IF_TSOFFSET and len(value) == 8:
                offset_seconds = struct.unpack(self._order + "q", value)[0]
        time_digits = 6 if ticks_per_second <= 1_000_000 else 9
        # The sections of a concatenated file mostly repeat their interfaces: the same one is listed once.
        key = (len(self._section_interfaces), link_type, time_digits, snap_length, name)
        listed_id = self._known_interfaces.setdefault(key, len(self.interfaces))
        if listed_id == len(self.interfaces):
            self.interfaces.append(Interface(self._file, link_type, time_digits, snap_length, name))
        # Small factors keep the product within a machine word.
        divisor = math.gcd(NS_PER_SECOND, ticks_per_second)
        interface = SectionInterface(
            listed_id, NS_PER_SECOND // divisor, ticks_per_second // divisor, offset_seconds * NS_PER_SECOND
        )
        self._section_interfaces.append(interface)
        self._enhanced_packets.describe(*interface)

    def _name(self, value: bytes) -> str:
        """Give an interface's name, as much of it as is kept."""
        kept = value[: min(MAX_NAME_BYTES, MAX_NAMES_BYTES - self._names_bytes)]
        self._names_bytes += len(kept)
        if len(kept) < len(value):
            self._note(
                f"{self._file}: interface names cut: at most {MAX_NAME_BYTES} bytes of each and {MAX_NAMES_BYTES >> 20}"
                " MiB of all are kept"
            )
        return kept.decode("utf-8", "replace")

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _options(self, data: bytes, position: int, end: int) -> Iterator[tuple[int, bytes]]:
        """Give the first options from `position` on, up to the first that does not fit."""
        for _ in range(MAX_OPTIONS):
            if end - position < 4:
                return
            code, length = struct.unpack_from(self._order + "HH", data, position)
            position += 4
            if code == 0 or length > end - position:
                return
            yield code, data[position : position + length]
            position += length + -length % 4

    def _take_packet(self, data: bytes, body: int, end: int, block_type: int, columns: Columns) -> None:
        """Take an obsolete packet block, or say what is wrong with an enhanced one that the run refused."""
        if end - body < 20:
            raise CaptureError(f"expected a packet block with 20 bytes of fields, found {end - body}")
        layout = "5I" if block_type == ENHANCED_PACKET else "HxxIIII"
        interface_id, high, low, captured, original = struct.unpack_from(self._order + layout, data, body)
        if interface_id >= len(self._section_interfaces):
            raise CaptureError(
                f"expected one of the section's {len(self._section_interfaces)} interfaces, found number {interface_id}"
            )
        if captured > end - body - 20:
            raise CaptureError(f"expected {captured} bytes of packet data, found {end - body - 20} in the block")
        listed_id, numerator, denominator, offset = self._section_interfaces[interface_id]
        time = (high << 32 | low) * numerator // denominator + offset
        self._last_time = min(max(time, 0), MAX_TIME)
        columns.add(body + 20, captured, max(captured, original), self._last_time, listed_id)

    def _take_simple_packet(self, data: bytes, body: int, end: int, columns: Columns) -> None:
        """Take a packet that bears neither time nor interface: it gets the time of the packet before it."""
        if end - body < 4:
            raise CaptureError("expected a simple packet block with 4 bytes of fields, found none")
        if not self._section_interfaces:
            raise CaptureError("expected an interface description before the first packet, found none")
        listed_id = self._section_interfaces[0].interface_id
        original: int = self._length.unpack_from(data, body)[0]
        captured = min(original, self.interfaces[listed_id].snap_length or original)
        if captured > end - body - 4:
            raise CaptureError(f"expected {captured} bytes of packet data, found {end - body - 4} in the block")
        columns.add(body + 4, captured, original, self._last_time, listed_id)

    def _keep_secrets(self, data: bytes, body: int, end: int) -> None:
        if end - body < 8:
            raise CaptureError(f"expected a decryption secrets block with 8 bytes of fields, found {end - body}")
        secrets_type, length = struct.unpack_from(self._order + "II", data, body)
        if length > end - body - 8:
            raise CaptureError(f"expected {length} bytes of secrets, found {end - body - 8} in the block")
        if secrets_type != TLS_KEY_LOG:
            return
        self._secrets_bytes += length
        if self._secrets_bytes > MAX_SECRETS_BYTES:
            raise CaptureError(f"expected at most {MAX_SECRETS_BYTES} bytes of secrets in a file, found more")
        self.secrets.append(data[body + 8 : body + 8 + length])
