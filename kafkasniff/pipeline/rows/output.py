"""Writes tables as Parquet: tasks under temporary names, and all at once when the run is complete."""

import os
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.rows.schemas import schema_of
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


def _cannot_write(path: str, error: Exception) -> PipelineError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return PipelineError(f"{path}: cannot be written: {reason}")
