"""What files are like where they lie: on a file system that all workers have, or in an object store."""

import errno
import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

import pyarrow as pa
from pyarrow.fs import FileSelector, FileType

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.object_store import info_of, is_object, open_object, placed, reason_of, same_name

_WILD = {*"*?["}


class Status(NamedTuple):
    """What is known of a file without reading it."""

    size: int
    modified_ns: int
    """Nanoseconds since 1970; 0 where a store does not say it."""
    regular: bool
    """Whether it is a file, and no folder, pipe or device."""


def status_of(path: str) -> Status:
    """Look at a file. Raises OSError, and CaptureError for one in a store."""
    if not is_object(path):
        status = os.stat(path)
        return Status(status.st_size, status.st_mtime_ns, stat.S_ISREG(status.st_mode))
    info = info_of(path)
    if info.type == FileType.NotFound:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return Status(info.size or 0, info.mtime_ns or 0, info.type == FileType.File)


def real_path(path: str) -> str:
    """Give a name that is the same for all paths to the same place."""
    return same_name(path).rstrip("/") if is_object(path) else os.path.realpath(path)


def open_at_random(path: str) -> pa.NativeFile:
    """Open a file to read anywhere in it. Raises OSError, and CaptureError for one in a store."""
    # Names of files that are no UTF-8 are bytes for Arrow.
    return open_object(path) if is_object(path) else pa.OSFile(os.fsencode(path))


def objects_below(uri: str) -> Iterator[str]:
    """Give the URIs of the objects that a URI names: one, all below a folder, or those that fit a glob; by name.

    Those whose names begin with a dot are passed over, as in folders. Raises CaptureError.
    """
    parts = uri.rstrip("/").split("/")
    wild = next((number for number, part in enumerate(parts) if number > 2 and set(part) & _WILD), len(parts))
    root = "/".join(parts[:wild])
    system, path = placed(root)
    if info_of(root).type == FileType.File:
        yield root
        return
    try:
        found = system.get_file_info(FileSelector(path, allow_not_found=True, recursive=True))
    except OSError as error:
        raise CaptureError(f"{root}: cannot be listed: {reason_of(error)}") from None
    for name in sorted(each.path[len(path) :].strip("/") for each in found if each.type == FileType.File):
        if any(each.startswith(".") for each in name.split("/")):
            continue
        if fits(name.split("/"), parts[wild:]):
            yield f"{root}/{name}"


def fits(names: list[str], patterns: list[str]) -> bool:
    """Tell whether names of folders and a file fit the parts of a glob; a folder that does so has all below it."""
    if not patterns:
        return True
    if not names:
        return False
    if patterns[0] == "**":
        return any(fits(names[passed:], patterns[1:]) for passed in range(len(names)))
    return fnmatchcase(names[0], patterns[0]) and fits(names[1:], patterns[1:])
