"""A folder in an object store. Who may read and write there is said by the store."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from secrets import token_hex
from typing import Any

from pyarrow.fs import FileSelector, FileType

from kafkasniff.capture.files.object_store import placed
from kafkasniff.pipeline.destinations.files import begin_file, open_file, room_for
from kafkasniff.pipeline.destinations.folder import WORK_FOLDER
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.inputs.places import real_path

_STATE = "state-"
_LOCK = "lock"
_AT_ONCE = 16
"""Requests that are made at once: each takes some 20 ms."""


class StoreFolder:
    """The tables' folder, and in it the folder of a run. All raises OSError where something cannot be done."""

    def __init__(self, uri: str, prefix: str) -> None:
        """Write below `uri`; `prefix` names the folder of the run. Raises CaptureError."""
        self.path = real_path(uri).rstrip("/")
        self.folder = f"{self.path}/{prefix.rstrip('-')}"
        """The folder of the run."""
        self.work = f"{self.folder}/{WORK_FOLDER}"
        """Where tasks write."""
        self._system = placed(self.path)[0]
        self._token = token_hex(16).encode()

    def prepare(self) -> None:
        """Let this be the process that writes the run: one that does so by now cannot commit any more."""
        self._put(f"{self.folder}/{_LOCK}", self._token)

    def find(self) -> bool:
        """Look for what other processes wrote of the run."""
        return bool(self._names(self.folder))

    def read_state(self) -> bytes | None:
        """Give the state; None where there is none."""
        states = self._states()
        return self._get(states[-1]) if states else None

    def write_state(self, number: int, data: bytes, files: Iterable[str]) -> None:
        """Write the state of the micro-batch `number`. Raises PipelineError where another process took over."""
        del files  # A store has what was written to it.
        if self._get(f"{self.folder}/{_LOCK}") != self._token:
            raise PipelineError(f"{self.path}: another process follows the same into it")
        before = self._states()
        # HDFS shows a file while it is written; in other stores it is there all at once.
        self._put(f"{self.folder}/new", data)
        self._move(f"{self.folder}/new", f"{self.folder}/{_STATE}{number:012d}")
        self._each(self._delete, before)

    def move(self, moves: Iterable[tuple[str, str]]) -> None:
        """Put files of the working folder in their places below the tables' folder, as far as they are still there."""
        there = {*self._names(self.work)}

        def move(of: tuple[str, str]) -> None:
            self._move(f"{self.work}/{of[0]}", f"{self.path}/{of[1]}")

        self._each(move, [each for each in moves if each[0] in there])

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files below the tables' folder, as far as they are there."""
        self._each(self._delete, [f"{self.path}/{path}" for path in paths])

    def write(self, path: str, data: bytes) -> None:
        """Write a file below the tables' folder, in the place of another."""
        self._put(f"{self.path}/{path}", data)

    def rights(self) -> AbstractContextManager[None]:
        """Let what others write be as it is: who may read it is said by the store."""
        return nullcontext()

    def files(self, below: str) -> list[str]:
        """Give the files in a folder below the tables', and in those in it, as they are named from there."""
        return self._names(f"{self.path}/{below}")

    def clean(self, in_use: set[str]) -> None:
        """Remove what is in the working folder but the files `in_use`."""
        self._each(self._delete, [f"{self.work}/{name}" for name in self._names(self.work) if name not in in_use])

    def has_written(self, path: str) -> bool:
        """Tell whether a file is in the working folder."""
        return self._is_there(f"{self.work}/{path}")

    def close(self) -> None:
        """Let another process write: it may do so at any time."""

    def _states(self) -> list[str]:
        """Give the states, the latest last; there are two where a process was killed in mid commit."""
        names = sorted(name for name in self._names(self.folder, recursive=False) if name.startswith(_STATE))
        return [f"{self.folder}/{name}" for name in names]

    def _names(self, folder: str, recursive: bool = True) -> list[str]:
        place = placed(folder)[1]
        found = self._system.get_file_info(FileSelector(place, allow_not_found=True, recursive=recursive))
        return [each.path[len(place) :].strip("/") for each in found if each.type == FileType.File]

    def _is_there(self, uri: str) -> bool:
        return bool(self._system.get_file_info(placed(uri)[1]).type == FileType.File)

    def _get(self, uri: str) -> bytes:
        with open_file(uri) as file:
            return file.read()

    def _put(self, uri: str, data: bytes) -> None:
        with begin_file(uri) as file:
            file.write(data)

    def _move(self, source: str, target: str) -> None:
        self._system.move(placed(source)[1], room_for(target)[1])

    def _delete(self, uri: str) -> None:
        if self._is_there(uri):
            self._system.delete_file(placed(uri)[1])

    def _each(self, act: Callable[[Any], None], of: Iterable[Any]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for _ in pool.map(act, of):
                pass
