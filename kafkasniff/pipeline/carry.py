"""What a follower carries from one micro-batch to the next: the engines, with all connections that are open."""

import copyreg
import gc
import io
import os
import pickle
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from kafkasniff.calls.engine import Engine
from kafkasniff.calls.enrichment.topics import TopicNames
from kafkasniff.capture.packets import Interface
from kafkasniff.pipeline.clusters import ClusterNames
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.events import EventPacker
from kafkasniff.pipeline.interfaces import PlacedInterface
from kafkasniff.pipeline.pieces import Piece

CARRY_FOLDER = "carry"


@dataclass(slots=True)
class Capture:
    """One capture as one bucket sees it, between two micro-batches."""

    engine: Engine
    topics: TopicNames
    """Of the engine."""
    packer: EventPacker
    names: ClusterNames
    held: list[tuple[Piece, list[Interface]]]
    """Packets at the end that wait, as the next file may begin before them, with the interfaces of their part."""


def save(work: str, what: Any) -> tuple[str, set[int]]:
    """Write something below the folder `work`; give the file's path there, and the parts whose interfaces it knows.

    Raises PipelineError where it cannot be written.
    """
    parts: set[int] = set()

    def reduce(interface: PlacedInterface) -> Any:
        parts.add(interface.part)
        return interface.__reduce_ex__(pickle.HIGHEST_PROTOCOL)

    stream = io.BytesIO()
    pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | {PlacedInterface: reduce}
    pickler.dump(what)
    path = os.path.join(CARRY_FOLDER, uuid4().hex)
    full = os.path.join(work, path)
    try:
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(stream.getbuffer())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise PipelineError(f"{full}: cannot be written: {error.strerror}") from None
    return path, parts


def load(work: str, path: str) -> Any:
    """Read what `save` wrote, in a folder that passed `check_own`: who writes there chooses what code is run.

    Raises PipelineError where it is not there.
    """
    full = os.path.join(work, path)
    collecting = gc.isenabled()
    # Millions of objects are made, and none of them is garbage.
    gc.disable()
    try:
        with open(full, "rb") as file:
            return pickle.load(file)
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        raise PipelineError(f"{full}: cannot be read: {error}") from None
    except (AttributeError, ImportError, IndexError, TypeError, pickle.PickleError) as error:
        # Other modules or fields, or classes that were compiled where these are not, or the other way round.
        raise PipelineError(f"{full}: was written by another kafkasniff: {error}") from None
    finally:
        if collecting:
            gc.enable()
