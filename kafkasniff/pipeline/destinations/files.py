"""Files that tasks write and read below a run's working folder, wherever that is."""

import io
import os
from typing import IO, cast

import pyarrow as pa
from pyarrow.fs import FileSystem

from kafkasniff.capture.files.object_store import is_object, placed
from kafkasniff.pipeline.inputs.own_folders import new_file

_AHEAD_BYTES = 1 << 20
"""Bytes that are fetched of an object at once."""


def begin_file(path: str) -> IO[bytes]:
    """Begin a file that was not there before, and the folders that lead to it. Raises OSError."""
    if not is_object(path):
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        return new_file(path)
    system, place = room_for(path)
    return cast(IO[bytes], system.open_output_stream(place))


def room_for(uri: str) -> tuple[FileSystem, str]:
    """Make the folders that lead to an object where its store has some; give what reads the store, and the path there.

    Raises OSError.
    """
    system, place = placed(uri)
    if uri.startswith("hdfs:"):
        # In other stores names have slashes in them, and there are no folders.
        system.create_dir(os.path.dirname(place))
    return system, place


def finish_file(file: IO[bytes]) -> None:
    """Let a file be kept as it stands, whatever ends this machine, and close it. Raises OSError."""
    with file:
        if not isinstance(file, pa.NativeFile):
            file.flush()
            os.fsync(file.fileno())


def open_file(path: str) -> IO[bytes]:
    """Open a file to read anywhere in it. Raises OSError."""
    if not is_object(path):
        return open(path, "rb")
    system, place = placed(path)
    return io.BufferedReader(cast(io.RawIOBase, system.open_input_file(place)), _AHEAD_BYTES)
