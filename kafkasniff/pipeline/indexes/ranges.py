"""Ranges of a large pcap file, each read by a task of its own: where its first record begins, told by what follows.

That is a guess, as payloads may hold anything. It is checked: each range says where it began and where it ended, and
only where each begins at the end of the one before it do they make up the file.
"""

import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kafkasniff.capture.files.pcap import FILE_HEADER_LENGTH, MAGICS, MIN_CAPTURED_LIMIT, PcapWalker
from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.pipeline.inputs.places import open_at_random

_WINDOW_BYTES = 4 << 20
"""How far a record is searched for."""
_CHAIN_RECORDS = 64
_CHAIN_BYTES = 128 << 10
"""Records, and bytes, that must follow without a doubt."""
_FARTHEST_S = 30 * 86_400
"""Seconds that the records of a file may lie apart."""


class Range(NamedTuple):
    """A part of a file; one that is not split is one range."""

    file: int
    """Index of the file among the inputs."""
    start: int
    """Where in the file it begins, or a little before its first record."""
    end: int | None
    """Records that begin from here on belong to the next range; None in the last."""

    @property
    def whole(self) -> bool:
        """Tell whether it is all of its file."""
        return self.start == 0 and self.end is None


class RangeStream(io.RawIOBase):
    """A pcap file from a record on, with the file header before it."""

    def __init__(self, path: str, start: int) -> None:
        """Read from the first record at or behind `start`. Raises OSError, and CaptureError for one in a store."""
        super().__init__()
        self.name = path
        self._file = open_at_random(path)
        first = self._file.read(FILE_HEADER_LENGTH)
        order, variant = MAGICS[first[:4]]
        walker = PcapWalker(first, path)
        self._file.seek(0)
        self._head: bytes = self._file.read(walker.file_header_length)
        self.record_header = 16 + variant.record_padding
        """Bytes of a record's header."""
        self.first = find_record(self._file, order, variant.nanoseconds, self.record_header, len(self._head), start)
        """Where the first record begins; None where none was found."""
        self.shift = 0 if self.first is None else self.first - len(self._head)
        """What a position in the file is more than in this stream."""
        self._file.seek(0 if self.first is None else self.first)

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Give up to `size` bytes."""
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
            return data
        read: bytes = self._file.read(size)
        return read

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def split(inputs: Sequence[Input], range_bytes: int, whole: frozenset[int]) -> list[Range]:
    """Give the ranges of all inputs, in order; some files are one range.

    Such are compressed and pcapng files, those in `whole`, and those that cannot be read.

    The blocks that describe a pcapng file's interfaces may stand anywhere before a packet.
    """
    ranges: list[Range] = []
    for file, each in enumerate(inputs):
        count = max(each.size // range_bytes, 1)
        apart = file in whole or each.reason is not None or each.compressed or each.skipped > 0
        if apart or each.head[:4] not in MAGICS or count == 1:
            ranges.append(Range(file, 0, None))
            continue
        bounds = [each.size * number // count for number in range(count)]
        ranges += [Range(file, *bound) for bound in zip(bounds, [*bounds[1:], None], strict=True)]
    return ranges


def find_record(
    file: pa.NativeFile, order: str, nanoseconds: bool, record_header: int, file_header: int, start: int
) -> int | None:
    """Give where the first record at or behind `start` begins, by the records that follow it; None: nowhere near."""
    if start <= file_header:
        return file_header
    file.seek(file_header)
    seconds = int.from_bytes(file.read(4), "big" if order == ">" else "little")
    file.seek(start)
    data = file.read(_WINDOW_BYTES + _CHAIN_BYTES + MIN_CAPTURED_LIMIT)
    last = start + len(data) == file.size()
    if len(data) < record_header:
        return None
    words = np.ndarray((len(data) - record_header + 1,), order + "u4", data, 0, (1,))
    # Of each place the fields that would stand there, if a record did.
    captured = np.ndarray(words.shape, order + "u4", data, 8, (1,)).astype(np.int64)
    original = np.ndarray(words.shape, order + "u4", data, 12, (1,))
    fraction = np.ndarray(words.shape, order + "u4", data, 4, (1,))
    plausible = (captured <= original) & (original <= MIN_CAPTURED_LIMIT) & (captured > 0)
    plausible &= fraction < (1_000_000_000 if nanoseconds else 1_000_000)
    plausible &= np.abs(words.astype(np.int64) - seconds) < _FARTHEST_S
    for candidate in np.flatnonzero(plausible[:_WINDOW_BYTES]).tolist():
        position, records = candidate, 0
        while position < len(plausible) and plausible[position]:
            position += record_header + int(captured[position])
            records += 1
            if records >= _CHAIN_RECORDS and position - candidate >= _CHAIN_BYTES:
                return start + candidate
        if last and position == len(data):
            return start + candidate
    return None
