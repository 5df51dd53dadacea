"""What a follower carries from one micro-batch to the next: the engines, with all connections that are open."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

from kafkasniff.calls.engine import Engine
from kafkasniff.calls.enrichment.topics import TopicNames
from kafkasniff.capture.packets import Interface
from kafkasniff.pipeline.clusters import ClusterNames
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.events import EventPacker
from kafkasniff.pipeline.interfaces import PlacedInterface
from kafkasniff.pipeline.own_folders import new_file
from kafkasniff.pipeline.pieces import Piece, pack, unpack
from kafkasniff.snapshot import SnapshotError, read_snapshot, write_snapshot

CARRY_FOLDER = "carry"


class HeldPackets(NamedTuple):
    """Packets at the end of a capture that wait, as its next file may begin before them."""

    packets: int
    columns: bytes
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
        return unpack(part, self.packets, self.columns, self.payload)


@dataclass(slots=True)
class Capture:
    """One capture as one bucket sees it, between two micro-batches."""

    engine: Engine
    topics: TopicNames
    """Of the engine."""
    packer: EventPacker
    names: ClusterNames
    held: list[HeldPackets]


def save(work: str, what: Any) -> tuple[str, set[int]]:
    """Write a snapshot below the folder `work`; give the file's path there, and the parts whose interfaces it knows.

    Raises PipelineError where it cannot be written.
    """
    parts: set[int] = set()

    def note(each: object) -> None:
        if isinstance(each, PlacedInterface):
            parts.add(each.part)

    path = os.path.join(CARRY_FOLDER, uuid4().hex)
    full = os.path.join(work, path)
    try:
        os.makedirs(os.path.dirname(full), 0o700, exist_ok=True)
        with new_file(full) as file:
            write_snapshot(what, file, note)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise PipelineError(f"{full}: cannot be written: {error.strerror}") from None
    return path, parts


def load(work: str, path: str) -> Any:
    """Read what `save` wrote. Raises PipelineError where it is not there, or this kafkasniff cannot read it."""
    full = os.path.join(work, path)
    try:
        with open(full, "rb") as file:
            return read_snapshot(file)
    except OSError as error:
        raise PipelineError(f"{full}: cannot be read: {error.strerror}") from None
    except SnapshotError as error:
        raise PipelineError(f"{full}: {error}") from None
