"""Which calls a filter wants: their numbers in a file, as there may be millions."""

import os
from collections.abc import Sequence
from tempfile import TemporaryFile

from kafkasniff.browse.store.layout import PLACE


class Matches:
    """A file with the numbers of the calls that the filter wants, which one process writes and another reads."""

    def __init__(self) -> None:
        """Make a new file without a name. Raises OSError."""
        self._file = TemporaryFile(prefix="kafkasniff-", buffering=0)  # noqa: SIM115 (it lives as long as this object)
        self._descriptor = self._file.fileno()

    def clear(self) -> None:
        """Begin anew."""
        os.ftruncate(self._descriptor, 0)

    def add(self, numbers: Sequence[int]) -> None:
        """Add numbers, which rise."""
        data = b"".join([PLACE.pack(number) for number in numbers])
        os.pwrite(self._descriptor, data, os.fstat(self._descriptor).st_size)

    def count(self) -> int:
        """Give how many there are."""
        return os.fstat(self._descriptor).st_size // PLACE.size

    def numbers(self, first: int, count: int) -> list[int]:
        """Give up to so many of them, from the row `first` on."""
        data = os.pread(self._descriptor, count * PLACE.size, first * PLACE.size)
        return [number for (number,) in PLACE.iter_unpack(data[: len(data) // PLACE.size * PLACE.size])]
