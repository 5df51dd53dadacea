"""Where in which connection's sequence numbers messages lie, and what is to stand there."""

import tempfile
from array import array
from bisect import bisect_right
from collections import defaultdict
from typing import NamedTuple

from kafkasniff.scrubbing.contents import FILLER

_HALF, _WHOLE = 1 << 31, 1 << 32


class Direction(NamedTuple):
    """A direction of a connection: from when to when (ns), and between which addresses and ports."""

    first: int
    last: int
    source: bytes
    destination: bytes


class _Messages:
    """The messages of one direction of one connection, in order of their sequence numbers."""

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last
        self.now: int | None = None
        """A sequence number, counted on behind 32 bits, near which others are."""
        self.sequences, self.places, self.sizes = array("q"), array("q"), array("q")
        """Of each its sequence number, where it lies in the file, and its bytes: arrays, as messages are many."""

    def add(self, sequence: int, at: int, size: int) -> None:
        """Take a message; of two at the same place the one that was put aside later comes behind."""
        index = bisect_right(self.sequences, sequence)
        while index and self.sequences[index - 1] == sequence and self.places[index - 1] > at:
            index -= 1
        self.sequences.insert(index, sequence)
        self.places.insert(index, at)
        self.sizes.insert(index, size)

    def counted_on(self, sequence: int) -> int:
        """Give a sequence number counted on behind 32 bits."""
        if self.now is None:
            self.now = sequence + _WHOLE
            return self.now
        ahead = (sequence - self.now) % _WHOLE
        found = self.now + (ahead if ahead < _HALF else ahead - _WHOLE)
        self.now = max(self.now, found)
        return found


class Places:
    """Holds the new messages in a temporary file."""

    def __init__(self) -> None:
        """Begin without any."""
        self._file = tempfile.TemporaryFile(prefix="kafkasniff-")  # noqa: SIM115
        self._size = 0
        self._directions: defaultdict[tuple[bytes, bytes], list[_Messages]] = defaultdict(list)
        self._of_direction: dict[Direction, _Messages] = {}

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def keep(self, message: bytes) -> tuple[int, int]:
        """Put a message aside; give where it lies, and its bytes."""
        at = self._size
        self._file.write(message)
        self._size += len(message)
        return at, len(message)

    def add(self, of: Direction, sequence: int, kept: tuple[int, int]) -> None:
        """Note that a message that was put aside begins at a sequence number."""
        direction = self._of_direction.get(of)
        if direction is None:
            direction = self._of_direction[of] = _Messages(of.first, of.last)
            self._directions[of.source, of.destination].append(direction)
        direction.add(direction.counted_on(sequence), *kept)

    def begin(self) -> None:
        """Begin to ask: packets come from the first on again."""
        self._file.flush()
        for directions in self._directions.values():
            for direction in directions:
                direction.now = direction.sequences[0] if direction.sequences else None

    def payload(self, source: bytes, destination: bytes, sequence: int, length: int, time: int) -> tuple[bytes, int]:
        """Give what is to stand in the payload of a segment, and how many bytes of it are not known and `FILLER`."""
        made = bytearray(FILLER * length)
        known = 0
        direction = self._at(source, destination, time)
        if direction is not None and length:
            begin = direction.counted_on(sequence)
            place = max(bisect_right(direction.sequences, begin) - 1, 0)
            for index in range(place, len(direction.sequences)):
                start, at, size = direction.sequences[index], direction.places[index], direction.sizes[index]
                if start >= begin + length:
                    break
                low, high = max(start, begin), min(start + size, begin + length)
                if low < high:
                    self._file.seek(at + low - start)
                    made[low - begin : high - begin] = self._file.read(high - low)
                    known += high - low
        return bytes(made), length - min(known, length)

    def _at(self, source: bytes, destination: bytes, time: int) -> _Messages | None:
        directions = self._directions.get((source, destination), ())
        fitting = [each for each in directions if each.first <= time <= each.last]
        return fitting[-1] if fitting else next((each for each in reversed(directions) if each.first <= time), None)
