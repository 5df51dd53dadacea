"""What a follower has done so far, and how a micro-batch is committed: all of it, or nothing."""

import contextlib
import copy
import fcntl
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import IO

import pyarrow.parquet as pq

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow_findings import Cluster
from kafkasniff.pipeline.follow_tasks import Carried
from kafkasniff.pipeline.indexing import FileReport
from kafkasniff.pipeline.inputs import Input
from kafkasniff.pipeline.output import RUNS_FOLDER, Written, sync, sync_folders
from kafkasniff.pipeline.own_folders import check_own, is_own
from kafkasniff.pipeline.reassembly import Part
from kafkasniff.pipeline.schemas import schema_of
from kafkasniff.pipeline.watching import Read
from kafkasniff.tables.declared import TABLES
from kafkasniff.typed_json import from_json, to_json

_FORMAT = b"kafkasniff state 2"
"""The first line of the state: another number for each change of what `State` holds."""

_FOLDER = "_following-"
_STATE = "state"
_LOCK = "lock"
WORK_FOLDER = "work"
"""What tasks write."""


@dataclass(slots=True)
class Ring:
    """Files of one directory whose names differ by what rotation adds."""

    latest: int = 0
    """The time of the last packet (ns)."""
    apart: bool = False
    """Whether its files were captured at the same time, so that each is its own vantage."""


@dataclass(slots=True)
class LatestFile:
    """The last file of a vantage, which may go on."""

    source: Input
    report: FileReport


@dataclass(frozen=True, slots=True)
class HeldEvents:
    """A file of events that wait for those of slower vantages."""

    path: str
    latest: dict[str, int]
    """By vantage, the time of the last of them (ns)."""
    parts: frozenset[int]
    """What they may tell of."""


@dataclass(slots=True)
class State:
    """All of it; paths are below the working folder."""

    buckets: int
    """Tasks that connections are shared among."""
    batch: int = 0
    """Micro-batches so far."""
    files: dict[str, Read] = field(default_factory=dict)
    """By path without the ending of a compression."""
    latest_files: dict[str, LatestFile] = field(default_factory=dict)
    """By vantage."""
    rings: dict[str, Ring] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    """By vantage, the time of the last packet (ns)."""
    next_part: int = 0
    parts: dict[int, Part] = field(default_factory=dict)
    """Those that something carried tells of, by number."""
    carried: dict[tuple[int, str], Carried] = field(default_factory=dict)
    """By bucket and vantage."""
    unnamed: dict[int, str] = field(default_factory=dict)
    """By bucket, where rows are saved that lack names."""
    given_up: int = 0
    """Rows that no longer wait for names."""
    topics: dict[str, str] = field(default_factory=dict)
    tls_sessions: dict[bytes, bytes] = field(default_factory=dict)
    secrets: bytes = b""
    """The TLS key logs in captures."""
    names: dict[str, set[str]] = field(default_factory=dict)
    """By vantage, what `clusters_of` takes."""
    clusters: list[Cluster] = field(default_factory=list)
    fed: dict[str, int] = field(default_factory=dict)
    """By vantage, up to where in time the rules know its events."""
    events: list[HeldEvents] = field(default_factory=list)
    provisional: dict[str, list[Written]] = field(default_factory=dict)
    """Rows that later ones take the place of, by what they are."""
    rows: Counter[str] = field(default_factory=Counter)
    """By table, those that stay."""
    first_time: int = 0
    """The time of the first packet of all (ns)."""
    packets: int = 0
    files_read: int = 0
    unread: list[str] = field(default_factory=list)
    """Why files were not read, or not to their end: the first of them."""
    more_unread: int = 0
    """How many others there are."""
    moves: list[Written] = field(default_factory=list)
    """What the last micro-batch wrote; to be put in its place."""
    removals: list[str] = field(default_factory=list)
    """Files in the tables that it takes the place of."""
    finished: bool = False

    def counts(self, tables: Sequence[str]) -> dict[str, int]:
        """Give the rows by table."""
        found = self.rows.copy()
        for each in (each for written in self.provisional.values() for each in written):
            found[each.table] += each.rows
        return {table: found[table] for table in tables}

    def next(self) -> "State":
        """Give a copy, for the next micro-batch."""
        state = copy.deepcopy(self)
        state.batch += 1
        state.moves, state.removals = [], []
        return state

    def in_use(self) -> set[str]:
        """Give the files below the working folder that are needed."""
        carried = {each.path for each in self.carried.values() if each.path is not None}
        rules = {path for cluster in self.clusters for path in cluster.paths}
        return carried | rules | {*self.unnamed.values()} | {each.path for each in self.events}


def follow_id(folders: Sequence[str], options: Sequence[str]) -> str:
    """Give a name for what comes of these directories with these options."""
    digest = sha256(b"follow\0")
    for text in (*sorted({os.path.realpath(each) for each in folders}), "", *options):
        digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return "r" + digest.hexdigest()[:15]


class Ledger:
    """The folder with the tables, and below it what is known of the run."""

    def __init__(self, path: str, run_id: str, tables: Sequence[str]) -> None:
        """Prepare to write the `tables` of the run `run_id` into the folder `path`."""
        self.path = os.path.realpath(path)
        self.run_id = run_id
        self.tables = tables
        self.folder = os.path.join(self.path, _FOLDER + run_id)
        self.work = os.path.join(self.folder, WORK_FOLDER)
        self._record = os.path.join(self.path, RUNS_FOLDER, f"{run_id}.json")
        self._lock: IO[bytes] | None = None

    def finished(self) -> dict[str, int] | None:
        """Give the rows by table if the run has ended for good."""
        try:
            with open(self._record, encoding="utf-8") as stream:
                rows: dict[str, int] = json.load(stream)["rows"]
        except (OSError, ValueError):
            return None
        if is_own(self.folder):
            shutil.rmtree(self.folder, ignore_errors=True)
        return rows

    def open(self) -> State | None:
        """Give the state that the last process left, with all in its place; None where there is none.

        Raises PipelineError where another process follows the same, or the folder cannot be written.
        """
        with self._writing():
            # What is carried holds what the captures hold, which not everybody may read.
            os.makedirs(self.path, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.mkdir(self.folder, 0o700)
            check_own(self.folder)
            os.makedirs(self.work, exist_ok=True)
            os.makedirs(os.path.dirname(self._record), exist_ok=True)
            self._lock = open(os.path.join(self.folder, _LOCK), "wb")  # noqa: SIM115
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise PipelineError(f"{self.path}: another process follows the same into it") from None
        try:
            with open(os.path.join(self.folder, _STATE), "rb") as stream:
                found, data = stream.readline().rstrip(b"\n"), stream.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PipelineError(f"{self.folder}: cannot be read: {error}") from None
        if found != _FORMAT:
            raise PipelineError(
                f"{self.path}: was begun by a kafkasniff that keeps its state in another form: let that end it"
                f" (--follow --finish), or remove {self.folder} and the folders run_id={self.run_id}"
            )
        try:
            state: State = from_json(data, State)
        except ValueError as error:
            raise PipelineError(f"{self.folder}: cannot be read: {error}") from None
        self._settle(state)
        return state

    def commit(self, state: State) -> None:
        """Make a micro-batch's rows and state those of the run. Raises PipelineError where they cannot be written.

        From when the state is there on all is, whatever ends this process: `open` goes on where it was left.
        """
        with self._writing():
            path = os.path.join(self.folder, _STATE)
            sync_folders(self.work, state.in_use().union(each.path for each in state.moves))
            with open(path + ".new", "wb") as stream:
                stream.write(_FORMAT + b"\n" + to_json(state, State))
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(path + ".new", path)
            sync(self.folder)
        self._settle(state)

    def close(self) -> None:
        """Let another process follow."""
        if self._lock is not None:
            self._lock.close()

    def _settle(self, state: State) -> None:
        """Put the last micro-batch's rows in their place, as far as that was not done, and remove what nobody needs."""
        with self._writing():
            for each in state.moves:
                source, target = os.path.join(self.work, each.path), self._target(each.path)
                if os.path.exists(source):
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    os.replace(source, target)
            sync_folders(self.path, (os.path.relpath(self._target(each.path), self.path) for each in state.moves))
            for path in state.removals:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._target(path))
            for table in self.tables:
                self._write_empty(table, state.first_time)
            in_use = state.in_use()
            for folder, _, names in os.walk(self.work):
                for name in names:
                    path = os.path.join(folder, name)
                    if os.path.relpath(path, self.work) not in in_use:
                        os.unlink(path)
            if state.finished:
                self._end(state)

    def _target(self, path: str) -> str:
        table, rest = path.split(os.sep, 1)
        return os.path.join(self.path, table, f"run_id={self.run_id}", rest)

    def _write_empty(self, table: str, first_time: int) -> None:
        """Let Spark find the columns of a table without rows."""
        folder = os.path.join(self.path, table, f"run_id={self.run_id}")
        if os.path.isdir(folder):
            return
        day = date.fromordinal(date(1970, 1, 1).toordinal() + first_time // 86_400_000_000_000)
        os.makedirs(os.path.join(folder, f"date={day.isoformat()}"))
        pq.write_table(
            schema_of(TABLES[table]).empty_table(), os.path.join(folder, f"date={day.isoformat()}", "empty.parquet")
        )

    def _end(self, state: State) -> None:
        temporary = self._record + ".tmp"
        with open(temporary, "w", encoding="utf-8") as stream:
            finished = datetime.now(UTC).isoformat()
            json.dump({"run_id": self.run_id, "finished": finished, "rows": state.counts(self.tables)}, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, self._record)
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PipelineError(f"{self.path}: cannot be written: {error.strerror}") from None
