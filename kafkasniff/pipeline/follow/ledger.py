"""Where a run's tables and state lie, and how a micro-batch is committed: all of it, or nothing."""

import contextlib
from collections.abc import Iterator, Sequence
from datetime import date
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.object_store import is_object, reason_of
from kafkasniff.lakes.formats import LakeError
from kafkasniff.lakes.tables import PARTITIONS, Change, Lake, format_of, lake_named
from kafkasniff.pipeline.destinations.folder import Folder
from kafkasniff.pipeline.destinations.store import StoreFolder
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.inputs.places import real_path
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.tables.declared import RECORDS, TABLES
from kafkasniff.typed_json import from_json, to_json

_FORMAT = b"kafkasniff state 7"
"""The first line of the state: another number for each change of what `State` holds."""

_FOLDER = "_state-"
PARQUET = "parquet"
"""The format of tables without a log: all files in their folders are theirs."""
_EMPTY = "empty.parquet"
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
    """The folder with the tables, and in it what is known of the run."""

    def __init__(self, path: str, run_id: str, tables: Sequence[str], mode: int = 0o600, form: str = PARQUET) -> None:
        """Prepare to write the `tables` of the run `run_id` into the folder `path`, as files with this `mode`.

        With a lake's `form` its log says which files are the tables'. Raises PipelineError for a URI that cannot be
        used, and where the lake's library is not there.
        """
        prefix = f"{_FOLDER}{run_id}-"
        try:
            self._home = StoreFolder(path, prefix) if is_object(path) else Folder(path, prefix, mode)
            self._lake = None if form == PARQUET else lake_named(form)
        except (CaptureError, LakeError) as error:
            raise PipelineError(str(error)) from None
        self._form = form
        self.path = self._home.path
        self.run_id = run_id
        self.tables = tables

    @property
    def folder(self) -> str:
        """Give where the state lies, from `open` on."""
        return self._home.folder

    @property
    def work(self) -> str:
        """Give the folder where tasks write."""
        return self._home.work

    def open(self) -> State | None:
        """Give the state that the last process left, with all in its place; None where there is none.

        Raises PipelineError where another process follows the same, or the folder cannot be written.
        """
        with self._writing():
            for table in self.tables:
                there = format_of(f"{self.path}/{table}") or (PARQUET if self._home.files(table) else self._form)
                if there != self._form:
                    raise PipelineError(
                        f"{self.path}: has tables as {there}: say so by --format, or choose another DEST"
                    )
            self._home.prepare()
        state = self._read()
        if state is not None and state.shown:
            self._settle(state)
        return state

    def look(self) -> State | None:
        """Give the state that the last process left, without making or changing anything; None where there is none.

        Raises PipelineError where it cannot be read.
        """
        return self._read() if self._home.find() else None

    def _read(self) -> State | None:
        try:
            found = self._home.read_state()
        except OSError as error:
            raise PipelineError(f"{self.folder}: cannot be read: {reason_of(error)}") from None
        if found is None:
            return None
        form, _, data = found.partition(b"\n")
        if form != _FORMAT:
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
            needed = state.in_use().union(each.path for each in state.moves)
            self._home.write_state(state.batch, _FORMAT + b"\n" + to_json(state, State), needed)
        if state.shown:
            self._settle(state)

    def write_record(self, number: int, data: bytes) -> None:
        """Write what is to be known of the micro-batch `number` beside the tables, and forget old ones.

        Raises PipelineError where it cannot be written.
        """
        with self._writing():
            self._home.write(f"{_RECORDS}/{self.run_id}-{number:08d}.json", data)
            self._home.remove([f"{_RECORDS}/{self.run_id}-{number - _MOST_RECORDS:08d}.json"])

    def shown(self) -> list[str]:
        """Give the files of the run in the tables, as they are named below the working folder."""
        found = []
        for table in self.tables:
            if self._lake is None:
                files = [name for name in self._home.files(self._of_run(table)) if not name.endswith(_EMPTY)]
            else:
                with self._writing():
                    of_run = self._lake.files(f"{self.path}/{table}", self.run_id)
                files = [path.partition("/")[2] for path in of_run]
            found += [f"{table}/{name}" for name in files]
        return found

    def close(self) -> None:
        """Let another process follow."""
        self._home.close()

    def _settle(self, state: State) -> None:
        """Put the last micro-batch's rows in their place, as far as that was not done, and remove what nobody needs."""
        with self._writing():
            self._home.move([(each.path, self._place(each.path)) for each in state.moves])
            if self._lake is None:
                self._home.remove(map(self._place, state.removals))
                for table in self.tables:
                    self._write_empty(table, state.first_time)
            else:
                # Who reads a table as it was needs what is not of it any more: to remove that is the lake's own task.
                with self._home.rights():
                    self._change(self._lake, [each.path for each in state.moves], state.removals)
            self._home.clean(state.in_use())

    def _change(self, lake: Lake, added: Sequence[str], removed: Sequence[str]) -> None:
        """Let files become the tables', and others not be that any more; each table changes all at once."""
        for table in self.tables:
            schema = pa.schema([*schema_of(TABLES[table]), *pa.schema(PARTITIONS)])
            of_table = [
                [self._place(path).removeprefix(f"{table}/") for path in paths if path.startswith(f"{table}/")]
                for paths in (added, removed)
            ]
            lake.commit(f"{self.path}/{table}", schema, Change(*of_table), self.run_id)

    def place_of(self, path: str) -> str:
        """Give where a file of the run stands in the tables, by its name below the working folder."""
        return f"{self.path}/{self._place(path)}"

    def now_at(self, path: str) -> str:
        """Give where a file of the run is, which may not have been put into the tables yet."""
        return f"{self.work}/{path}" if self._home.has_written(path) else self.place_of(path)

    def _place(self, path: str) -> str:
        table, _, rest = path.partition("/")
        return f"{self._of_run(table)}/{rest}"

    def _of_run(self, table: str) -> str:
        return f"{table}/run_id={self.run_id}"

    def _write_empty(self, table: str, first_time: int) -> None:
        """Let Spark find the columns of a table without rows."""
        if self._home.files(self._of_run(table)):
            return
        day = date.fromordinal(date(1970, 1, 1).toordinal() + first_time // 86_400_000_000_000)
        file = pa.BufferOutputStream()
        pq.write_table(schema_of(TABLES[table]).empty_table(), file)
        self._home.write(f"{self._of_run(table)}/date={day.isoformat()}/{_EMPTY}", file.getvalue().to_pybytes())

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PipelineError(f"{self.path}: cannot be written: {reason_of(error)}") from None
        except LakeError as error:
            raise PipelineError(str(error)) from None
