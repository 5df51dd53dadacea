"""A folder on a file system that all workers see, which others may be able to write to."""

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator
from typing import IO

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.inputs.own_folders import check_own, is_own, make_folders, new_file, new_folder

WORK_FOLDER = "work"
"""What tasks write."""
_STATE = "state"
_LOCK = "lock"


class Folder:
    """The tables' folder, and in it the folder of a run. All raises OSError where something cannot be done."""

    def __init__(self, path: str, prefix: str, mode: int) -> None:
        """Write below `path` as files with this `mode`; `prefix` begins the name of the folder of the run."""
        self.path = os.path.realpath(path)
        self._prefix = prefix
        self._mode = mode
        # Who may read may enter.
        self._folder_mode = mode | 0o700 | (mode & 0o444) >> 2
        self.folder = ""
        """The folder of the run, from `prepare` or `find` on."""
        self._lock: IO[bytes] | None = None

    @property
    def work(self) -> str:
        """Give the folder where tasks write."""
        return os.path.join(self.folder, WORK_FOLDER)

    def prepare(self) -> None:
        """Make the folder of the run where it is missing, and keep other processes from it. Raises PipelineError."""
        # What is carried holds what the captures hold, which not everybody may read.
        if not os.path.isdir(self.path):
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            make_folders(os.path.dirname(self.path), os.path.basename(self.path), self._folder_mode)
        if not self.find():
            new_folder(self.path, self._prefix)
        # Of two processes that made one at once, both take the same.
        self.find()
        check_own(self.folder)
        make_folders(self.folder, WORK_FOLDER, 0o700)
        self._lock = open(os.path.join(self.folder, _LOCK), "wb")  # noqa: SIM115
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PipelineError(f"{self.path}: another process follows the same into it") from None

    def find(self) -> bool:
        """Look for the folder that this user's processes made for the run."""
        if not os.path.isdir(self.path):
            return False
        with os.scandir(self.path) as entries:
            found = sorted(each.path for each in entries if each.name.startswith(self._prefix) and is_own(each.path))
        self.folder = found[0] if found else ""
        return bool(found)

    def read_state(self) -> bytes | None:
        """Give the state; None where there is none."""
        try:
            with open(os.path.join(self.folder, _STATE), "rb") as stream:
                return stream.read()
        except FileNotFoundError:
            return None

    def write_state(self, number: int, data: bytes, files: Iterable[str]) -> None:
        """Write the state of the micro-batch `number`, when the `files` below the working folder are on the disk."""
        del number
        _sync_folders(self.work, files)
        path = os.path.join(self.folder, _STATE)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + ".new")
        with new_file(path + ".new") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(path + ".new", path)
        _sync(self.folder)

    def move(self, moves: Iterable[tuple[str, str]]) -> None:
        """Put files of the working folder in their places below the tables' folder, as far as they are still there."""
        targets = []
        for source, target in moves:
            source, full = os.path.join(self.work, source), os.path.join(self.path, target)  # noqa: PLW2901
            targets.append(target)
            if os.path.exists(source):
                self._make(os.path.dirname(target))
                os.chmod(source, self._mode)
                os.replace(source, full)
        _sync_folders(self.path, targets)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files below the tables' folder, as far as they are there."""
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.path, path))

    def write(self, path: str, data: bytes) -> None:
        """Write a file below the tables' folder, in the place of another."""
        self._make(os.path.dirname(path))
        self.remove([path])
        with new_file(os.path.join(self.path, path)) as file:
            file.write(data)
        os.chmod(os.path.join(self.path, path), self._mode)

    @contextlib.contextmanager
    def rights(self) -> Iterator[None]:
        """Let what others make in this process be as files and folders of ours."""
        before = os.umask(0o777 & ~self._folder_mode)
        try:
            yield
        finally:
            os.umask(before)

    def files(self, below: str) -> list[str]:
        """Give the files in a folder below the tables', and in those in it, as they are named from there."""
        root = os.path.join(self.path, below)
        found = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]
        return [os.path.relpath(path, root) for path in found]

    def clean(self, in_use: set[str]) -> None:
        """Remove what is in the working folder but the files `in_use`."""
        for folder, _, names in os.walk(self.work):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.relpath(path, self.work) not in in_use:
                    os.unlink(path)

    def has_written(self, path: str) -> bool:
        """Tell whether a file is in the working folder."""
        return os.path.exists(os.path.join(self.work, path))

    def close(self) -> None:
        """Let another process write."""
        if self._lock is not None:
            self._lock.close()

    def _make(self, folder: str) -> None:
        """Make a folder of a table, and those above it, where they are missing."""
        make_folders(self.path, folder, self._folder_mode)


def _sync(path: str) -> None:
    """Let a file or folder be on the disk as it stands, whatever ends this machine."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folders(root: str, paths: Iterable[str]) -> None:
    """Do that with a folder and those in it that lead to files, which are named from there."""
    folders = {""}
    for path in paths:
        while (path := os.path.dirname(path)) not in folders:
            folders.add(path)
    for folder in folders:
        _sync(os.path.join(root, folder))
