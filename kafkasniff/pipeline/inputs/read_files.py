"""The files that a run has read, of which there may be a hundred thousand."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from kafkasniff.tables.rings import without_compression


@dataclass(frozen=True, slots=True)
class Read:
    """What is remembered of a file that was read."""

    path: str
    size: int
    modified_ns: int
    head: bytes
    ring: str
    first_time: int | None
    packets: int
    vantage: str


class Columns(NamedTuple):
    """The same of many files: a list for each field, and each name of a ring or vantage once."""

    names: list[str]
    paths: list[str]
    sizes: list[int]
    modified: list[int]
    heads: list[bytes]
    rings: list[int]
    """Places in `names`, as are `vantages`."""
    first_times: list[int | None]
    packets: list[int]
    vantages: list[int]


class ReadFiles(dict[str, Read]):
    """Files that were read, by their path without the ending of a compression.

    They are written as `Columns`: to make lists and texts of each file takes more memory than all that is known of it.
    """

    TYPES: ClassVar[dict[str, Any]] = {"columns": Columns}

    def __init__(self, columns: Columns | None = None) -> None:
        """Take those in `columns`. Raises ValueError where these do not belong together."""
        super().__init__()
        if columns is None:
            return
        names, *fields = columns
        try:
            for path, size, modified, head, ring, first_time, packets, vantage in zip(*fields, strict=True):
                self.add(Read(path, size, modified, head, names[ring], first_time, packets, names[vantage]))
        except IndexError:
            raise ValueError("expected the place of a name, found a number beyond them") from None

    @property
    def columns(self) -> Columns:
        """Give all as columns."""
        files = self.values()
        names = list(dict.fromkeys(name for each in files for name in (each.ring, each.vantage)))
        place_of = {name: place for place, name in enumerate(names)}
        return Columns(
            names,
            [each.path for each in files],
            [each.size for each in files],
            [each.modified_ns for each in files],
            [each.head for each in files],
            [place_of[each.ring] for each in files],
            [each.first_time for each in files],
            [each.packets for each in files],
            [place_of[each.vantage] for each in files],
        )

    def add(self, read: Read) -> None:
        """Remember a file, in the place of what was read under its name before."""
        self[without_compression(read.path)] = read

    def __deepcopy__(self, memo: object) -> "ReadFiles":
        """Give a copy; what is remembered of one file never changes."""
        copied = ReadFiles()
        copied.update(self)
        return copied
