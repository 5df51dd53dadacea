"""Where a run's tables and state lie, and how a micro-batch is committed: all of it, or nothing."""

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence
from datetime import date
from hashlib import sha256
from typing import IO

import pyarrow.parquet as pq

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.inputs.own_folders import check_own, is_own, make_folders, new_file, new_folder
from kafkasniff.pipeline.inputs.places import real_path
from kafkasniff.pipeline.rows.output import sync, sync_folders
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.tables.declared import RECORDS, TABLES
from kafkasniff.typed_json import from_json, to_json

_FORMAT = b"kafkasniff state 5"
"""The first line of the state: another number for each change of what `State` holds."""

_FOLDER = "_state-"
_EMPTY = "empty.parquet"
_STATE = "state"
_LOCK = "lock"
WORK_FOLDER = "work"
"""What tasks write."""
_RECORDS = "_runs"
_MOST_RECORDS = 1_000
"""Records of micro-batches that are kept, the latest."""


def tables_of(records: bool) -> list[str]:
    """Give the names of the tables that are written, with `records` that too."""
    return [name for name in TABLES if records or name != RECORDS.name]


def run_id(sources: Sequence[str], options: Sequence[str]) -> str:
    """Give a name for what comes of these sources with these options, whatever files they have."""
    digest = sha256()
    for text in (*sorted({real_path(each) for each in sources}), "", *options):
        digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
    # A letter first: Spark would take some hashes in the names of folders for numbers.
    return "r" + digest.hexdigest()[:15]


class Ledger:
    """The folder with the tables, and below it what is known of the run."""

    def __init__(self, path: str, run_id: str, tables: Sequence[str], mode: int = 0o600) -> None:
        """Prepare to write the `tables` of the run `run_id` into the folder `path`, as files with this `mode`."""
        self.path = os.path.realpath(path)
        self.run_id = run_id
        self.tables = tables
        self._mode = mode
        # Who may read may enter.
        self._folder_mode = mode | 0o700 | (mode & 0o444) >> 2
        self._prefix = f"{_FOLDER}{run_id}-"
        self.folder = ""
        """Where the state lies, from `open` on; below it, where tasks write."""
        self.work = ""
        self._lock: IO[bytes] | None = None

    def open(self) -> State | None:
        """Give the state that the last process left, with all in its place; None where there is none.

        Raises PipelineError where another process follows the same, or the folder cannot be written.
        """
        with self._writing():
            # What is carried holds what the captures hold, which not everybody may read.
            if not os.path.isdir(self.path):
                os.makedirs(os.path.dirname(self.path), exist_ok=True)
                make_folders(os.path.dirname(self.path), os.path.basename(self.path), self._folder_mode)
            if not self._folders():
                new_folder(self.path, self._prefix)
            # Of two processes that made one at once, both take the same.
            self.folder = self._folders()[0]
            check_own(self.folder)
            self.work = make_folders(self.folder, WORK_FOLDER, 0o700)
            self._lock = open(os.path.join(self.folder, _LOCK), "wb")  # noqa: SIM115
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise PipelineError(f"{self.path}: another process follows the same into it") from None
        state = self._read()
        if state is not None and state.shown:
            self._settle(state)
        return state

    def look(self) -> State | None:
        """Give the state that the last process left, without making or changing anything; None where there is none.

        Raises PipelineError where it cannot be read.
        """
        if not os.path.isdir(self.path) or not (folders := self._folders()):
            return None
        self.folder = folders[0]
        return self._read()

    def _read(self) -> State | None:
        try:
            with open(os.path.join(self.folder, _STATE), "rb") as stream:
                found, data = stream.readline().rstrip(b"\n"), stream.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PipelineError(f"{self.folder}: cannot be read: {error}") from None
        if found != _FORMAT:
            raise PipelineError(
                f"{self.path}: was begun by a kafkasniff that keeps its state in another form: go on with that, or"
                f" remove {self.folder} and the folders run_id={self.run_id}, so that all is read again"
            )
        try:
            state: State = from_json(data, State)
        except ValueError as error:
            raise PipelineError(f"{self.folder}: cannot be read: {error}") from None
        return state

    def commit(self, state: State) -> None:
        """Make a micro-batch's rows and state those of the run. Raises PipelineError where they cannot be written.

        From when the state is there on all is, whatever ends this process: `open` goes on where it was left.
        """
        with self._writing():
            path = os.path.join(self.folder, _STATE)
            sync_folders(self.work, state.in_use().union(each.path for each in state.moves))
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path + ".new")
            with new_file(path + ".new") as stream:
                stream.write(_FORMAT + b"\n" + to_json(state, State))
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(path + ".new", path)
            sync(self.folder)
        if state.shown:
            self._settle(state)

    def write_record(self, number: int, data: bytes) -> None:
        """Write what is to be known of the micro-batch `number` beside the tables, and forget old ones.

        Raises PipelineError where it cannot be written.
        """
        with self._writing():
            folder = self._make(os.path.join(self.path, _RECORDS))
            path = os.path.join(folder, f"{self.run_id}-{number:08d}.json")
            for old in (path, os.path.join(folder, f"{self.run_id}-{number - _MOST_RECORDS:08d}.json")):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(old)
            with new_file(path) as file:
                file.write(data)
            os.chmod(path, self._mode)

    def shown(self) -> list[str]:
        """Give the files of the run in the tables, as they are named below the working folder."""
        found = []
        for table in self.tables:
            root = os.path.join(self.path, table, f"run_id={self.run_id}")
            for folder, _, names in os.walk(root):
                below = os.path.join(table, os.path.relpath(folder, root))
                found += [os.path.join(below, name) for name in names if name != _EMPTY]
        return found

    def close(self) -> None:
        """Let another process follow."""
        if self._lock is not None:
            self._lock.close()

    def _settle(self, state: State) -> None:
        """Put the last micro-batch's rows in their place, as far as that was not done, and remove what nobody needs."""
        with self._writing():
            for each in state.moves:
                source, target = os.path.join(self.work, each.path), self.place_of(each.path)
                if os.path.exists(source):
                    self._make(os.path.dirname(target))
                    os.chmod(source, self._mode)
                    os.replace(source, target)
            sync_folders(self.path, (os.path.relpath(self.place_of(each.path), self.path) for each in state.moves))
            for path in state.removals:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.place_of(path))
            for table in self.tables:
                self._write_empty(table, state.first_time)
            in_use = state.in_use()
            for folder, _, names in os.walk(self.work):
                for name in names:
                    path = os.path.join(folder, name)
                    if os.path.relpath(path, self.work) not in in_use:
                        os.unlink(path)

    def place_of(self, path: str) -> str:
        """Give where a file of the run stands in the tables, by its name below the working folder."""
        table, rest = path.split(os.sep, 1)
        return os.path.join(self.path, table, f"run_id={self.run_id}", rest)

    def now_at(self, path: str) -> str:
        """Give where a file of the run is, which may not have been put into the tables yet."""
        written = os.path.join(self.work, path)
        return written if os.path.exists(written) else self.place_of(path)

    def _write_empty(self, table: str, first_time: int) -> None:
        """Let Spark find the columns of a table without rows."""
        folder = os.path.join(self.path, table, f"run_id={self.run_id}")
        if any(names for _, _, names in os.walk(folder)):
            return
        day = date.fromordinal(date(1970, 1, 1).toordinal() + first_time // 86_400_000_000_000)
        path = os.path.join(self._make(os.path.join(folder, f"date={day.isoformat()}")), _EMPTY)
        with new_file(path) as file:
            pq.write_table(schema_of(TABLES[table]).empty_table(), file)
        os.chmod(path, self._mode)

    def _make(self, folder: str) -> str:
        """Make a folder of a table, and those above it, where they are missing."""
        return make_folders(self.path, os.path.relpath(folder, self.path), self._folder_mode)

    def _folders(self) -> list[str]:
        """Give the folders that this user's processes made for the state of the run."""
        with os.scandir(self.path) as entries:
            return sorted(each.path for each in entries if each.name.startswith(self._prefix) and is_own(each.path))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PipelineError(f"{self.path}: cannot be written: {error.strerror}") from None
