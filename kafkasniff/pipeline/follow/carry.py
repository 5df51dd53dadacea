"""What a follower carries from one micro-batch to the next: the engines, with all connections that are open."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any, NamedTuple
from uuid import uuid4

from kafkasniff.calls.engine import Engine
from kafkasniff.calls.enrichment.topics import TopicNames
from kafkasniff.capture.files.object_store import reason_of
from kafkasniff.capture.packets import Interface
from kafkasniff.pipeline.destinations.files import begin_file, finish_file, open_file
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.findings.clusters import ClusterNames
from kafkasniff.pipeline.findings.events import EventPacker
from kafkasniff.pipeline.indexes.interfaces import PlacedInterface
from kafkasniff.pipeline.indexes.pieces import Piece, pack, unpack
from kafkasniff.snapshots.classes import SnapshotError
from kafkasniff.snapshots.reading import read_snapshot
from kafkasniff.snapshots.writing import write_snapshot

CARRY_FOLDER = "carry"


class HeldPackets(NamedTuple):
    """Packets at the end of a capture that wait, as its next file may begin before them."""

    packets: int
    packed: bytes
    """As `pieces.pack` gives them."""
    payload: bytes
    interfaces: Sequence[Interface]
    """Of their part."""

    @classmethod
    def of(cls, piece: Piece, interfaces: list[Interface]) -> "HeldPackets":
        """Hold a piece that has its bytes with it."""
        assert piece.payload is not None
        return cls(len(piece.keys), pack(piece), piece.payload, interfaces)

    def piece(self, part: int) -> Piece:
        """Give the packets, as of the part with this number."""
        return unpack(part, self.packets, self.packed, self.payload)


@dataclass(slots=True)
class Capture:
    """One capture as one bucket sees it, between two micro-batches."""

    engine: Engine
    topics: TopicNames
    """Of the engine."""
    packer: EventPacker
    names: ClusterNames
    held: list[HeldPackets]


class Saved(NamedTuple):
    """Where a snapshot lies."""

    path: str
    """Below the working folder."""
    place: int = 0
    """Where in the file it begins."""


class Saver:
    """Writes snapshots into one file below the folder `work`: each file costs the disk a wait."""

    def __init__(self, work: str) -> None:
        """Write nothing yet."""
        self._work = work
        self._path = os.path.join(CARRY_FOLDER, uuid4().hex)
        self._file: IO[bytes] | None = None

    def save(self, what: Any) -> tuple[Saved, set[int]]:
        """Write a snapshot; give where, and the parts whose interfaces it knows. Raises PipelineError."""
        full = os.path.join(self._work, self._path)
        try:
            if self._file is None:
                self._file = begin_file(full)
            saved = Saved(self._path, self._file.tell())
            interfaces = write_snapshot(what, self._file, PlacedInterface)
        except OSError as error:
            raise PipelineError(f"{full}: cannot be written: {reason_of(error)}") from None
        return saved, {each.part for each in interfaces}

    def close(self) -> None:
        """Let all be on the disk. Raises PipelineError."""
        if self._file is None:
            return
        try:
            finish_file(self._file)
        except OSError as error:
            full = os.path.join(self._work, self._path)
            raise PipelineError(f"{full}: cannot be written: {reason_of(error)}") from None


def save(work: str, what: Any) -> Saved:
    """Write a snapshot into a file of its own. Raises PipelineError where it cannot be written."""
    saver = Saver(work)
    saved, _ = saver.save(what)
    saver.close()
    return saved


def load(work: str, saved: Saved) -> Any:
    """Read a snapshot. Raises PipelineError where it is not there, or (`outdated`) not one of this kafkasniff's."""
    full = os.path.join(work, saved.path)
    try:
        with open_file(full) as file:
            file.seek(saved.place)
            return read_snapshot(file)
    except OSError as error:
        raise PipelineError(f"{full}: cannot be read: {reason_of(error)}") from None
    except SnapshotError as error:
        raise PipelineError(f"{full}: {error}", outdated=True) from None
