"""What is to be read: the files behind paths, directories and globs, told apart by capture point."""

import glob
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.compression import MAGIC_LENGTH, compression_of
from kafkasniff.capture.files.object_store import SCHEMES, is_folder, is_object, same_name
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.files.source import FileSource
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.inputs.places import objects_below, real_path, status_of
from kafkasniff.tables.rings import ring_of

HEAD_BYTES = 64
"""Bytes from a file's start that tell it from one that takes its place: file header and first record header."""

CHANGED = "changed while it was read; run the command again once nothing writes to it"
"""Why a file was left out that is not any more what it was when it was listed."""

_LOCAL_URI = re.compile(r"file:(?:///|//localhost/|/(?!/))")
_URI = re.compile(r"file:|[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class Input:
    """A file to read."""

    path: str
    """As the user gave it, or below a directory that the user gave."""
    size: int
    modified_ns: int
    """Nanoseconds since 1970."""
    head: bytes
    """The first `HEAD_BYTES` bytes."""
    ring: str
    """Directory and name without the counters and times that rotation adds; names that are no UTF-8 as `shown`."""
    first_time: int | None = None
    """Nanoseconds since 1970 of the first packet; None where there is none."""
    compressed: bool = False
    reason: str | None = None
    """Why it cannot be read at all; None where it can."""
    skipped: int = 0
    """Packets at its beginning that were read before."""
    lost: bool = False
    """Whether it went, or another took its place, before it was read."""


def path_of(place: str) -> str:
    """Give the path that a `file:` URI names; a path, and the URI of an object store, stays as it is.

    Raises PipelineError for other URIs.
    """
    if local := _LOCAL_URI.match(place):
        return unquote("/" + place[local.end() :])
    if _URI.match(place) and not is_object(place):
        raise PipelineError(
            f"{place}: expected a path that all workers have, or a URI of {', '.join(SCHEMES)}, found another scheme"
        )
    return same_name(place)


def find_inputs(sources: Sequence[str], leave_out: str | None = None) -> list[Input]:
    """Give the files behind `sources` (files, directories with all below them, globs) in order of their first packet.

    What lies below the directory `leave_out` is passed over. Raises PipelineError where a source names no file.
    """
    paths: dict[str, str] = {}
    for source in sources:
        found = list(files_below(source, real_path(leave_out) if leave_out else None))
        if not found and not is_folder(source):
            raise PipelineError(f"{source}: there is no such file")
        for path in found:
            paths.setdefault(real_path(path), path)
    inputs = [look_at(path) for path in paths.values()]
    return sorted(inputs, key=lambda each: (each.ring, each.first_time or 0, each.path))


def look_at(path: str) -> Input:
    """Give what the beginning of a file tells of it."""
    # Of a hundred thousand files most have the same.
    ring = sys.intern(ring_of(shown(path)))
    try:
        status = status_of(path)
        if not status.regular:
            # What a pipe or a device gives cannot be read twice, and might never come.
            return Input(path, 0, 0, b"", ring, reason=f"{path}: is no regular file")
        source = FileSource(path)
        try:
            head = source.peek(HEAD_BYTES)
        finally:
            source.close()
    except (OSError, CaptureError) as error:
        reason = f"{path}: cannot be read: {error.strerror}" if isinstance(error, OSError) else str(error)
        return Input(path, 0, 0, b"", ring, reason=reason)
    size, modified = status.size, status.modified_ns
    try:
        reader = CaptureReader(path)
        first_time = reader.first_time()
        reader.close()
    except CaptureError as error:
        return Input(path, size, modified, head, ring, reason=str(error))
    return Input(path, size, modified, head, ring, first_time, bool(compression_of(head[:MAGIC_LENGTH])))


def shown(path: str) -> str:
    """Give a path as tables can hold it, and no other as the same: bytes that are no UTF-8 as `\\xff`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def files_below(source: str, leave_out: str | None) -> Iterator[str]:
    """Give the paths behind a source, but for those below the real path `leave_out`. Raises PipelineError."""
    if is_object(source):
        try:
            for path in objects_below(source):
                if leave_out is None or not real_path(path).startswith(f"{leave_out}/"):
                    yield path
        except CaptureError as error:
            raise PipelineError(str(error)) from None
        return
    for path in [source] if os.path.lexists(source) else sorted(glob.glob(source, recursive=True)):
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(each for each in folders if os.path.realpath(os.path.join(folder, each)) != leave_out)
            yield from (os.path.join(folder, name) for name in sorted(names) if not name.startswith("."))


def leave_out(inputs: Sequence[Input], lost: Mapping[int, str]) -> list[Input]:
    """Give the inputs with the reasons of those, by index, that were lost, and of others that are not as listed."""
    left = []
    for index, each in enumerate(inputs):
        reason = each.reason or lost.get(index) or _changed(each)
        left.append(each if reason is None else replace(each, reason=reason))
    return left


def _changed(listed: Input) -> str | None:
    """Say what has become of a file since it was listed; None: it is there, and nothing was taken from it."""
    now = look_at(listed.path)
    if now.reason is not None:
        return now.reason
    same = now.head == listed.head and now.size >= listed.size
    return None if same else f"{listed.path}: {CHANGED}"
