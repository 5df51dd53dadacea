"""Messages whose places in packets are to be found, by the packets that brought their first bytes."""

import tempfile
from array import array
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from kafkasniff.tcp.events import Connection

LONGEST_START = 68
"""Bytes of a message, with its size before it, by which it is found in the packet that brought its first byte."""


class Note(NamedTuple):
    """A message whose place in its packet is to be found."""

    connection: Connection
    start: bytes
    kept: tuple[int, int] | None
    """Where it was put aside; None of a token without Kafka's headers, of which only the size is known."""


class _OfFile:
    """The notes of one capture, each with its number."""

    def __init__(self) -> None:
        self.packets, self.numbers = array("q"), array("q")
        self.next = 0

    def sort(self) -> None:
        """Bring the notes into the order of their packets."""
        order = sorted(range(len(self.packets)), key=self.packets.__getitem__)
        self.packets, self.numbers = (array("q", map(of.__getitem__, order)) for of in (self.packets, self.numbers))


class Notes:
    """Holds the notes in arrays, as there are as many as messages; their starts lie in a temporary file."""

    def __init__(self) -> None:
        """Begin without notes."""
        self._file = tempfile.TemporaryFile(prefix="kafkasniff-")  # noqa: SIM115
        self._files: defaultdict[str, _OfFile] = defaultdict(_OfFile)
        self._connections: dict[Connection, int] = {}
        self._by_number: list[Connection] = []
        self._connection_of, self._kept_at, self._kept_bytes, self._start_bytes = (array("q") for _ in range(4))

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def add(self, file: str, packet: int, note: Note) -> None:
        """Take a note of a message that begins in a packet of a file."""
        of_file = self._files[file]
        of_file.packets.append(packet)
        of_file.numbers.append(len(self._connection_of))
        number = self._connections.setdefault(note.connection, len(self._connections))
        if number == len(self._by_number):
            self._by_number.append(note.connection)
        at, size = (0, -1) if note.kept is None else note.kept
        self._connection_of.append(number)
        self._kept_at.append(at)
        self._kept_bytes.append(size)
        self._start_bytes.append(len(note.start))
        self._file.write(note.start.ljust(LONGEST_START, b"\0"))

    def begin(self) -> None:
        """Begin to ask."""
        self._file.flush()
        for of_file in self._files.values():
            of_file.sort()

    def of(self, file: str, packet: int) -> Iterator[Note]:
        """Give the notes of a packet in the order in which they came; packets of a file are asked for in theirs."""
        if file not in self._files:
            return
        of_file = self._files[file]
        while of_file.next < len(of_file.packets) and of_file.packets[of_file.next] <= packet:
            number = of_file.numbers[of_file.next]
            if of_file.packets[of_file.next] == packet:
                self._file.seek(number * LONGEST_START)
                start = self._file.read(self._start_bytes[number])
                size = self._kept_bytes[number]
                kept = None if size < 0 else (self._kept_at[number], size)
                yield Note(self._by_number[self._connection_of[number]], start, kept)
            of_file.next += 1
