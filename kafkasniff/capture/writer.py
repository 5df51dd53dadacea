"""Writing packets to a pcapng file (draft-ietf-opsawg-pcapng)."""

import os
import stat
import struct
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import BinaryIO

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.merge import merge
from kafkasniff.capture.files.pcapng import (
    CHOSEN_CALLS,
    DECRYPTION_SECRETS,
    IF_NAME,
    IF_TSRESOL,
    INTERFACE_DESCRIPTION,
    OPT_COMMENT,
    SECTION_HEADER,
    TLS_KEY_LOG,
)
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.files.records import ENHANCED_PACKET
from kafkasniff.capture.files.windows import DecompressionBudget
from kafkasniff.capture.packets import Arrival, Interface, PacketBatch

INTERFACE_STATISTICS = 5
ISB_IFRECV, ISB_OSDROP = 4, 7
LONGEST_OPTION = 0xFFFF

BYTE_ORDER_MAGIC = 0x1A2B3C4D
UNKNOWN_SECTION_LENGTH = -1
_ENHANCED_PACKET_BYTES = 32
"""Of an enhanced packet block without data."""


class PcapngWriter:
    """Writes one section in little-endian order; interfaces are described when their first packet comes."""

    def __init__(self, stream: BinaryIO, *, has_chosen_calls: bool = False) -> None:
        """Begin the file on a buffered binary stream, which stays the caller's to close.

        `has_chosen_calls` says in the file that it lacks packets of its connections on purpose.
        Raises CaptureError, as all methods do, when the stream cannot be written, and BrokenPipeError when its reader
        has gone.
        """
        self._stream = stream
        self._interface_ids: dict[Interface, int] = {}
        fields = struct.pack("<IHHq", BYTE_ORDER_MAGIC, 1, 0, UNKNOWN_SECTION_LENGTH)
        self._write_block(SECTION_HEADER, fields + (_comment(CHOSEN_CALLS) if has_chosen_calls else b""))

    def write(
        self, data: bytes, original_length: int, time_ns: int, interface: Interface, comment: bytes = b""
    ) -> None:
        """Write one packet: its captured bytes, its length on the wire, its time in ns since 1970 and its interface.

        `comment` is text in UTF-8.
        """
        interface_id = self._interface_id(interface)
        ticks = time_ns // _nanoseconds(interface)
        fields = struct.pack("<IIIII", interface_id, ticks >> 32, ticks & 0xFFFFFFFF, len(data), original_length)
        if comment:
            data += bytes(-len(data) % 4) + _comment(comment)
        self._write_block(ENHANCED_PACKET, fields + data)

    def write_batch(self, batch: PacketBatch, comments: Mapping[int, bytes] = MappingProxyType({})) -> None:
        """Write all packets of a batch, as `write` does, but without plain code for each field.

        `comments` are those of some packets, by their indices.
        """
        # NumPy takes longer to import than to write a few packets.
        import numpy as np

        used = np.frombuffer(batch.interface_ids, np.int64)
        ids, units = np.zeros((2, len(batch.interfaces)), np.int64)
        for index in np.unique(used).tolist():
            ids[index] = self._interface_id(batch.interfaces[index])
            units[index] = _nanoseconds(batch.interfaces[index])
        captured = np.frombuffer(batch.captured, np.int64)
        ticks = np.frombuffer(batch.times, np.int64) // units[used]
        padding = -captured % 4
        lengths = _ENHANCED_PACKET_BYTES + captured + padding
        options = {index: _comment(text) for index, text in comments.items()}
        for index, option in options.items():
            lengths[index] += len(option)
        original = np.frombuffer(batch.original, np.int64)
        fields = (np.full(len(batch), ENHANCED_PACKET), lengths, ids[used], ticks >> 32, ticks & 0xFFFFFFFF)
        heads = np.stack((*fields, captured, original), axis=1).astype("<u4").tobytes()
        # The length once more, behind the zeros that pad the data.
        tails = (lengths.astype("<u8") << (8 * padding).astype("<u8")).tobytes()
        pieces: list[bytes] = []
        head = tail = 0
        for at, size, pad in zip(batch.offsets, batch.captured, padding.tolist(), strict=True):
            pieces += (heads[head : head + 28], batch.data[at : at + size], tails[tail : tail + 4 + pad])
            if options and tail >> 3 in options:
                pieces[-1] = bytes(pad) + options[tail >> 3] + pieces[-1][pad:]
            head += 28
            tail += 8
        self._write(b"".join(pieces))

    def flush(self) -> None:
        """Hand on what is buffered."""
        try:
            self._stream.flush()
        except OSError as error:
            raise cannot_write(self._stream, error) from None

    def write_statistics(self, interface: Interface, received: int, dropped: int) -> None:
        """Write how many packets an interface that has some in the file received, and how many the kernel dropped."""
        counts = _option(ISB_IFRECV, received.to_bytes(8, "little")) + _option(
            ISB_OSDROP, dropped.to_bytes(8, "little")
        )
        ticks = time.time_ns() // _nanoseconds(interface)
        fields = struct.pack("<III", self._interface_ids[interface], ticks >> 32, ticks & 0xFFFFFFFF)
        self._write_block(INTERFACE_STATISTICS, fields + counts + _option(0, b""))

    def write_secrets(self, key_log: bytes) -> None:
        """Write a TLS key log as a decryption secrets block; it must stand before the packets that it opens."""
        self._write_block(DECRYPTION_SECRETS, struct.pack("<II", TLS_KEY_LOG, len(key_log)) + key_log)

    def _interface_id(self, interface: Interface) -> int:
        """Give the number of an interface in the file, which is described before its first packet."""
        found = self._interface_ids.get(interface)
        if found is None:
            found = self._interface_ids[interface] = len(self._interface_ids)
            self._describe(interface)
        return found

    def _describe(self, interface: Interface) -> None:
        options = b""
        if interface.name:
            options += _option(IF_NAME, interface.name.encode()[:0xFFFF])
        options += _option(IF_TSRESOL, bytes([9 if interface.time_digits == 9 else 6])) + _option(0, b"")
        fields = struct.pack("<HHI", interface.link_type, 0, interface.snap_length)
        self._write_block(INTERFACE_DESCRIPTION, fields + options)

    def _write_block(self, block_type: int, body: bytes) -> None:
        padding = bytes(-len(body) % 4)
        length = 12 + len(body) + len(padding)
        self._write(struct.pack("<II", block_type, length) + body + padding + struct.pack("<I", length))

    def _write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
        except OSError as error:
            raise cannot_write(self._stream, error) from None


def cannot_write(stream: BinaryIO, error: OSError) -> Exception:
    """Give what to raise: CaptureError, unless a named pipe's reader has gone, which is no fault of the file."""
    if isinstance(error, BrokenPipeError):
        return error
    return CaptureError(f"{stream.name}: cannot be written: {error.strerror}")


def _nanoseconds(interface: Interface) -> int:
    """Give how many make a tick of an interface's times."""
    return 1 if interface.time_digits == 9 else 1000


def _comment(text: bytes) -> bytes:
    """Give the options of a packet with a comment."""
    return _option(OPT_COMMENT, text[:LONGEST_OPTION].decode(errors="ignore").encode()) + _option(0, b"")


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def check_new(path: str) -> None:
    """Raise CaptureError where no new file can be made at `path`: before all is read that shall be written there."""
    folder = os.path.dirname(path) or "."
    if os.path.lexists(path):
        raise CaptureError(f"{path}: exists already and is not overwritten")
    if not os.path.isdir(folder):
        raise CaptureError(f"{path}: cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CaptureError(f"{path}: cannot be written: Permission denied")


def create(path: str, *, private: bool) -> BinaryIO:
    """Make a new file at `path`, from the first moment for its owner alone if `private`; raises CaptureError.

    What is written into a named pipe that is there goes to its reader.
    """
    mode = 0o600 if private else 0o666
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode):
            return open(path, "wb")
    except OSError:
        pass
    try:
        return open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))
    except FileExistsError:
        raise CaptureError(f"{path}: exists already and is not overwritten") from None
    except OSError as error:
        raise CaptureError(f"{path}: cannot be written: {error.strerror}") from None


def select_packets(
    paths: Sequence[str],
    wanted: Mapping[str, Collection[int]],
    writer: PcapngWriter,
    comment_of: Callable[[Arrival], bytes] | None = None,
) -> int:
    """Copy packets from files to `writer`, merged by time as `merge` does; secrets in the files are not copied.

    `wanted` gives by path (one of `paths`) the 1-based numbers of the packets, `comment_of` what is written as the
    comment of a packet, empty for none. Gives how many were written.
    Raises CaptureError when a file cannot be opened, standard input among them, as it cannot be read twice.
    """
    if wanted.get("-"):
        raise CaptureError("-: expected a file to copy packets from, found standard input, which cannot be read twice")
    budget = DecompressionBudget()
    readers = [CaptureReader(path, budget=budget) for path in dict.fromkeys(paths) if wanted.get(path)]
    packets_written = 0
    for batch in merge(readers):
        for reader in readers:
            reader.take_secrets()  # else they would add up
        for index in range(len(batch)):
            arrival = batch.arrival(index)
            if arrival.packet in wanted[arrival.interface.file]:
                offset = batch.offsets[index]
                data = batch.data[offset : offset + batch.captured[index]]
                comment = b"" if comment_of is None else comment_of(arrival)
                writer.write(data, batch.original[index], arrival.time, arrival.interface, comment)
                packets_written += 1
    return packets_written
