"""What a follower has done so far, and how a micro-batch is committed: all of it, or nothing."""

import contextlib
import copy
import fcntl
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from typing import IO

import pyarrow.parquet as pq

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.findings.clocks import Shift, Times
from kafkasniff.pipeline.follow.carry import Saved
from kafkasniff.pipeline.follow.findings import Cluster
from kafkasniff.pipeline.follow.tasks import Carried
from kafkasniff.pipeline.indexes.indexing import FileReport
from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.pipeline.inputs.own_folders import check_own, is_own, make_folders, new_file, new_folder
from kafkasniff.pipeline.inputs.places import real_path
from kafkasniff.pipeline.inputs.watching import Read
from kafkasniff.pipeline.rows.output import Written, sync, sync_folders
from kafkasniff.pipeline.rows.reassembly import Part
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.tables.declared import RECORDS, TABLES
from kafkasniff.tcp.tls.key_log import KeyLog
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


@dataclass(frozen=True, slots=True)
class Ending:
    """Captures of which all stands in the tables as if they ended there, until more of them comes."""

    vantages: tuple[str, ...]
    events: tuple[str, ...]
    """Files of what ended with them."""
    parts: frozenset[int]
    """What these tell of."""


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
    begins: dict[str, int] = field(default_factory=dict)
    """By vantage, the time of the first packet that was read since the rules looked (ns)."""
    fresh: list[str] = field(default_factory=list)
    """Files of events of which the rules saw nothing."""
    next_part: int = 0
    parts: dict[int, Part] = field(default_factory=dict)
    """Those that something carried tells of, by number."""
    carried: dict[tuple[int, str], Carried] = field(default_factory=dict)
    """By bucket and vantage."""
    open: set[str] = field(default_factory=set)
    """Vantages of which the tables lack what is at their end."""
    endings: dict[int, Ending] = field(default_factory=dict)
    """By number."""
    unnamed: dict[str, list[Saved]] = field(default_factory=dict)
    """Where rows are saved that lack names, by what has provisional rows in their place."""
    given_up: int = 0
    """Rows that no longer wait for names."""
    topics: dict[str, str] = field(default_factory=dict)
    tls_sessions: dict[bytes, bytes] = field(default_factory=dict)
    secrets: bytes = b""
    """The TLS key logs in captures."""
    names: dict[str, set[str]] = field(default_factory=dict)
    """By vantage, what `clusters_of` takes."""
    calls: dict[str, dict[int, Times]] = field(default_factory=dict)
    """By vantage, what `shifts_of` takes."""
    shifts: dict[str, Shift] = field(default_factory=dict)
    """By vantage, how far its clock is ahead of those of its cluster."""
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
    shown: bool = True
    """Whether that is to be done now; False in the middle of a run."""
    renewed: bool = False
    """Whether all is read again in this run."""

    def ahead(self, vantage: str) -> int:
        """Give how far a vantage's clock is ahead of those of its cluster (ns)."""
        return self.shifts[vantage].ahead_ns if vantage in self.shifts else 0

    @property
    def is_there(self) -> bool:
        """Whether no file was gone, as far as is known, that was to be read."""
        return self.files_read == len(self.files)

    def opened_by(self, key_log: bytes) -> bool:
        """Tell whether these secrets open TLS connections that were read without them."""
        log = KeyLog()
        log.add(key_log)
        unopened = (name for each in self.carried.values() for name in each.unopened)
        return bool(log.changes) and any(map(log.lines_of, unopened))

    def reasons(self) -> list[str]:
        """Give why files were not read, or not to their end, as far as that is kept."""
        latest = [each.report.reason for each in self.latest_files.values()]
        return [*self.unread, *(reason for reason in latest if reason is not None)]

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
        if state.shown:
            state.moves, state.removals = [], []
        return state

    def renew(self, removals: list[str], apart: Iterable[str]) -> "State":
        """Give the state with nothing read, for a run that takes the place of all that stands in the tables.

        Files of the rings `apart` are each their own vantage. Secrets of TLS are known from the beginning on.
        """
        rings = {ring: Ring(apart=True) for ring in apart}
        begun = State(self.buckets, self.batch, rings=rings, removals=removals, shown=False, renewed=True)
        begun.secrets = self.secrets
        return begun

    def replace(self, what: str, written: Sequence[Written]) -> None:
        """Put rows in the place of others."""
        for each in self.provisional.pop(what, ()):
            if each in self.moves:
                self.moves.remove(each)
            else:
                self.removals.append(each.path)
        self.moves += written
        if written:
            self.provisional[what] = [*written]

    def in_use(self) -> set[str]:
        """Give the files below the working folder that are needed."""
        saved = [each.saved for each in self.carried.values() if each.saved is not None]
        saved += [each for cluster in self.clusters for _, each in cluster.saved]
        saved += [each for of_rows in self.unnamed.values() for each in of_rows]
        used = {each.path for each in saved} | {each.path for each in self.events}
        used |= {path for ending in self.endings.values() for path in ending.events}
        return used if self.shown else used | {each.path for each in self.moves}


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
