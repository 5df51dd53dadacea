"""Puts lines in the order of requests, in bounded memory: what does not fit waits, sorted, in a temporary file."""

import struct
from collections.abc import Callable, Iterator
from heapq import merge
from tempfile import TemporaryFile
from typing import BinaryIO, Final

from kafkasniff.cli.terminal.output import Output

RUN_BYTES: Final = 32 << 20
"""Bytes of lines that are sorted in memory."""

_ENTRY_BYTES: Final = 100
"""What a line takes beside its bytes."""
_HEAD: Final = struct.Struct("<qqI")
_READ_BYTES: Final = 1 << 16

_Entry = tuple[int, int, bytes]
"""Time (ns since 1970), a number that keeps lines of one time in their order, and the line."""


class RequestOrder:
    """Takes lines in the order in which calls ended, and gives them in that of their requests."""

    def __init__(self, above: Callable[[int], bytes] | None, run_bytes: int = RUN_BYTES) -> None:
        """Give before each line what `above` gives for its time: titles, or the day; None: nothing."""
        self._above = above
        self._run_bytes = run_bytes
        self._entries: list[_Entry] = []
        self._size = 0
        self._count = 0
        self._file: BinaryIO | None = None
        self._runs: list[tuple[int, int]] = []

    def add(self, time: int, line: bytes) -> None:
        """Take a line with the time (ns since 1970) by which it is ordered. Raises OSError where no file has room."""
        self._count += 1
        self._entries.append((time, self._count, line))
        self._size += len(line) + _ENTRY_BYTES
        if self._size >= self._run_bytes:
            self._spill()

    def write(self, output: Output) -> None:
        """Write all lines. Raises OSError where the temporary file cannot be read."""
        self._entries.sort()
        runs = [self._read(begin, end) for begin, end in self._runs]
        for time, _, line in merge(*runs, self._entries):
            output.write(line if self._above is None else self._above(time) + line)
        self._entries = []

    def _spill(self) -> None:
        if self._file is None:
            self._file = TemporaryFile(prefix="kafkasniff-")  # noqa: SIM115 (closed when this object goes)
        self._entries.sort()
        begin = self._file.tell()
        for time, number, line in self._entries:
            self._file.write(_HEAD.pack(time, number, len(line)) + line)
        self._runs.append((begin, self._file.tell()))
        self._entries = []
        self._size = 0

    def _read(self, place: int, end: int) -> Iterator[_Entry]:
        """Read a run, of which a piece at a time is in memory."""
        assert self._file is not None
        data, at = b"", 0
        while at < len(data) or place < end:
            left = len(data) - at
            wanted = _HEAD.size + (_HEAD.unpack_from(data, at)[2] if left >= _HEAD.size else 0)
            if left < wanted or left < _HEAD.size:
                self._file.seek(place)
                piece = self._file.read(min(max(_READ_BYTES, wanted), end - place))
                place += len(piece)
                data, at = data[at:] + piece, 0
                continue
            time, number, length = _HEAD.unpack_from(data, at)
            at += _HEAD.size + length
            yield time, number, data[at - length : at]
