"""Writes tables as Parquet: tasks under temporary names, and all at once when the run is complete."""

import json
import os
import shutil
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.own_folders import is_own, new_folder
from kafkasniff.pipeline.schemas import schema_of
from kafkasniff.tables.declared import EVENTS, TABLES
from kafkasniff.tables.rows import Placed, Row

RUNS_FOLDER = "_runs"
"""Below the destination: a file for each run that is complete. Spark passes over names with an underscore."""
_STAGING = "_staging-"

DONE_FOLDER = "_done"
"""Below the staging folder: what each task that ended had to say, for a run that goes on where this one was killed."""

_BUFFERED_ROWS = 8_192
_BUFFERED_BYTES = 8 << 20
"""Rows, and bytes of keys, values and events in them, that wait to be written."""
_MOST_OPEN = 32
_DAY_NS = 86_400_000_000_000


_SCHEMAS = {table.name: schema_of(table) for table in (*TABLES.values(), EVENTS)}
_BINARY = {
    name: [number for number, each in enumerate(schema) if pa.types.is_binary(each.type)]
    for name, schema in _SCHEMAS.items()
}
"""By table the columns of bytes, which alone may be large."""


class Written(NamedTuple):
    """A file that a task wrote."""

    table: str
    path: str
    """Relative to the staging folder."""
    rows: int


class TableWriter:
    """What one task writes: a file for each table and date, or several."""

    def __init__(self, staging: str, name: str) -> None:
        """Write below the folder `staging`; `name` is in all file names, and no other task attempt's."""
        self._staging = staging
        self._name = name
        self._rows: dict[tuple[str, int], list[Row]] = {}
        self._sizes: Counter[tuple[str, int]] = Counter()
        self._open: OrderedDict[tuple[str, int], tuple[pq.ParquetWriter, str]] = OrderedDict()
        self._counts: Counter[str] = Counter()
        self._tables: dict[str, str] = {}

    def add(self, placed: Iterable[Placed]) -> None:
        """Take rows. Raises PipelineError where they cannot be written."""
        for table, time, row in placed:
            key = table, time // _DAY_NS
            rows = self._rows.setdefault(key, [])
            rows.append(row)
            self._sizes[key] += sum(len(row[column] or b"") for column in _BINARY[table])
            if len(rows) >= _BUFFERED_ROWS or self._sizes[key] >= _BUFFERED_BYTES:
                self._flush(key)

    def close(self) -> list[Written]:
        """Write the rest; give what was written."""
        for key in list(self._rows):
            self._flush(key)
        try:
            while self._open:
                self._end(*self._open.popitem()[1])
        except (OSError, pa.ArrowException) as error:
            raise _cannot_write(self._staging, error) from None
        return [Written(self._tables[path], path, count) for path, count in self._counts.items()]

    def _flush(self, key: tuple[str, int]) -> None:
        del self._sizes[key]
        self._write(key, table_of(self._rows.pop(key), _SCHEMAS[key[0]]))

    def _write(self, key: tuple[str, int], rows: pa.Table) -> None:
        try:
            if key not in self._open:
                self._begin(*key)
            self._open.move_to_end(key)
            writer, path = self._open[key]
            writer.write_table(rows)
            self._counts[path] += rows.num_rows
            if len(self._open) > _MOST_OPEN:
                self._end(*self._open.popitem(last=False)[1])
        except (OSError, pa.ArrowException) as error:
            raise _cannot_write(self._staging, error) from None

    def _end(self, writer: pq.ParquetWriter, path: str) -> None:
        writer.close()
        sync(os.path.join(self._staging, path))

    def _begin(self, table: str, day: int) -> None:
        text = date.fromordinal(date(1970, 1, 1).toordinal() + day).isoformat()
        path = os.path.join(table, f"date={text}", f"{self._name}-{len(self._tables)}.parquet")
        full = os.path.join(self._staging, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        self._tables[path] = table
        self._open[table, day] = (pq.ParquetWriter(full, _SCHEMAS[table], compression="zstd"), path)


def sync(path: str) -> None:
    """Let a file or folder be on the disk as it stands, whatever ends this machine. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folders(root: str, paths: Iterable[str]) -> None:
    """Do that with a folder and those in it that lead to files, which are named from there. Raises OSError."""
    folders = {""}
    for path in paths:
        while (path := os.path.dirname(path)) not in folders:
            folders.add(path)
    for folder in folders:
        sync(os.path.join(root, folder))


def table_of(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    """Give rows as an Arrow table."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, each.type) for column, each in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


class Destination:
    """The folder with the tables."""

    def __init__(self, path: str, run_id: str) -> None:
        """Prepare to write the run `run_id` into the folder `path`."""
        self.path = os.path.realpath(path)
        self.run_id = run_id
        self.staging = ""
        """Where tasks write, from `begin` on."""
        self._prefix = f"{_STAGING}{run_id}-"
        self._record = os.path.join(self.path, RUNS_FOLDER, f"{run_id}.json")

    def finished(self) -> dict[str, int] | None:
        """Give the rows by table of the run if it is complete; first finish what was left of its end."""
        for path in (self._record, self._record + ".ending"):
            try:
                with open(path, encoding="utf-8") as stream:
                    record: dict[str, Any] = json.load(stream)
                    counts: dict[str, int] = record["rows"]
                    own = os.fstat(stream.fileno()).st_uid == os.geteuid()
            except (OSError, ValueError, KeyError, TypeError):
                continue
            if path != self._record:
                if not own:
                    continue
                self.staging = os.path.join(self.path, os.path.basename(record.get("staging", "")))
                self._move()
            return counts
        return None

    def begin(self, resume: bool) -> None:
        """Make the staging folder, anew unless `resume`. Raises PipelineError where that cannot be."""
        try:
            os.makedirs(os.path.dirname(self._record), exist_ok=True)
            left = self._left()
            self.staging = left.pop() if resume and left else ""
            for folder in left:
                shutil.rmtree(folder, ignore_errors=True)
            if not self.staging:
                # Events hold what the captures hold, which not everybody may read; and what others had put there
                # would come into the tables.
                self.staging = new_folder(self.path, self._prefix)
        except OSError as error:
            raise _cannot_write(self.path, error) from None

    def _left(self) -> list[str]:
        """Give the staging folders that this user's earlier processes left of the run, the latest last."""
        with os.scandir(self.path) as entries:
            found = [each.path for each in entries if each.name.startswith(self._prefix) and is_own(each.path)]
        return sorted(found, key=lambda path: os.lstat(path).st_mtime_ns)

    def commit(self, written: Sequence[Written], tables: Sequence[str], first_day: int) -> dict[str, int]:
        """Make what was written the run's rows; give their number by table.

        Once the record of the run is there all is, whatever ends this process: `finished` goes on where it was left.
        """
        kept = {each.path for each in written}
        counts = dict.fromkeys(tables, 0)
        try:
            for folder in (DONE_FOLDER, EVENTS.name):
                shutil.rmtree(os.path.join(self.staging, folder), ignore_errors=True)
            for folder, _, names in os.walk(self.staging):
                for name in names:
                    if os.path.relpath(os.path.join(folder, name), self.staging) not in kept:
                        os.unlink(os.path.join(folder, name))  # of a task attempt that failed
            for each in written:
                counts[each.table] += each.rows
            for table in tables:
                if not counts[table]:
                    self._write_empty(table, first_day)
            sync_folders(self.staging, (each.path for each in written))
            self._write_record(counts)
            self._move()
        except OSError as error:
            raise _cannot_write(self.path, error) from None
        return counts

    def abandon(self) -> None:
        """Remove what was staged."""
        shutil.rmtree(self.staging, ignore_errors=True)

    def _write_empty(self, table: str, day: int) -> None:
        """Let Spark find the columns of a table without rows."""
        text = date.fromordinal(date(1970, 1, 1).toordinal() + day).isoformat()
        folder = os.path.join(self.staging, table, f"date={text}")
        os.makedirs(folder, exist_ok=True)
        pq.write_table(schema_of(TABLES[table]).empty_table(), os.path.join(folder, "empty.parquet"))

    def _write_record(self, counts: dict[str, int]) -> None:
        """Write which tables are to be moved; from here on the run is complete."""
        temporary = self._record + ".tmp"
        with open(temporary, "w", encoding="utf-8") as stream:
            finished, staging = datetime.now(UTC).isoformat(), os.path.basename(self.staging)
            json.dump({"run_id": self.run_id, "finished": finished, "rows": counts, "staging": staging}, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, self._record + ".ending")
        sync(os.path.dirname(self._record))

    def _move(self) -> None:
        """Put each table's folder in its place, where that was not done before."""
        left = os.path.basename(self.staging).startswith(self._prefix) and is_own(self.staging)
        for table in sorted(os.listdir(self.staging)) if left else ():
            target = os.path.join(self.path, table, f"run_id={self.run_id}")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.rename(os.path.join(self.staging, table), target)
            sync(os.path.dirname(target))
        sync(self.path)
        if left:
            shutil.rmtree(self.staging, ignore_errors=True)
        os.replace(self._record + ".ending", self._record)


def _cannot_write(path: str, error: Exception) -> PipelineError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return PipelineError(f"{path}: cannot be written: {reason}")
