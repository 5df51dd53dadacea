"""Writes tables as Parquet, below the working folder of a run: who commits it puts the files in their places."""

import os
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from datetime import date
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kafkasniff.capture.files.object_store import reason_of
from kafkasniff.pipeline.destinations.files import begin_file, finish_file
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.tables.blocks.row_block import RowBlock
from kafkasniff.tables.declared import EVENTS, TABLES
from kafkasniff.tables.parquet import parquet_options
from kafkasniff.tables.rows import Placed, Row

_BUFFERED_ROWS = 8_192
_BUFFERED_BYTES = 8 << 20
"""Rows, and bytes of keys, values and events in them, that wait to be written."""
_MOST_OPEN = 32
_DAY_NS = 86_400_000_000_000


_SCHEMAS = {table.name: pa.table(RowBlock(table)).schema for table in (*TABLES.values(), EVENTS)}
"""As blocks have them, texts as dictionaries."""
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


class _File(NamedTuple):
    """A file that is being written."""

    path: str
    """Relative to the staging folder."""
    file: IO[bytes]
    writer: pq.ParquetWriter

    def end(self) -> None:
        """Write the rest. Raises OSError."""
        self.writer.close()
        finish_file(self.file)


class TableWriter:
    """What one task writes: a file for each table and date, or several."""

    def __init__(self, staging: str, name: str) -> None:
        """Write below the folder `staging`; `name` is in all file names, and no other task attempt's."""
        self._staging = staging
        self._name = name
        self._rows: dict[tuple[str, int], list[Row]] = {}
        self._sizes: Counter[tuple[str, int]] = Counter()
        self._open: OrderedDict[tuple[str, int], _File] = OrderedDict()
        self._counts: Counter[str] = Counter()
        self._tables: dict[str, str] = {}

    def add(self, placed: Iterable[Placed]) -> None:
        """Take rows. Raises PipelineError where they cannot be written."""
        for table, time, row in placed:
            self._buffer((table, time // _DAY_NS), [row])

    def add_rows(self, table: str, rows: list[Row]) -> None:
        """Take rows of a table without dates. Raises PipelineError where they cannot be written."""
        self._buffer((table, 0), rows)

    def add_block(self, table: str, block: Any) -> None:
        """Take a block of rows, which have a time in ns. Raises PipelineError where they cannot be written."""
        rows = pa.table(block)
        days = pc.divide(rows["time_ns"], _DAY_NS)
        seen = pc.unique(days).to_pylist()
        for day in seen:
            self._write((table, day), rows if len(seen) == 1 else rows.filter(pc.equal(days, day)))

    def close(self) -> list[Written]:
        """Write the rest; give what was written."""
        for key in list(self._rows):
            self._flush(key)
        try:
            while self._open:
                self._open.popitem()[1].end()
        except (OSError, pa.ArrowException) as error:
            raise _cannot_write(self._staging, error) from None
        return [Written(self._tables[path], path, count) for path, count in self._counts.items()]

    def _buffer(self, key: tuple[str, int], rows: list[Row]) -> None:
        waiting = self._rows.setdefault(key, [])
        waiting += rows
        for column in _BINARY[key[0]]:
            self._sizes[key] += sum([len(row[column] or b"") for row in rows])
        if len(waiting) >= _BUFFERED_ROWS or self._sizes[key] >= _BUFFERED_BYTES:
            self._flush(key)

    def _flush(self, key: tuple[str, int]) -> None:
        self._sizes.pop(key, None)
        self._write(key, table_of(self._rows.pop(key), _SCHEMAS[key[0]]))

    def _write(self, key: tuple[str, int], rows: pa.Table) -> None:
        try:
            if key not in self._open:
                self._begin(*key)
            self._open.move_to_end(key)
            file = self._open[key]
            file.writer.write_table(rows)
            self._counts[file.path] += rows.num_rows
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1].end()
        except (OSError, pa.ArrowException) as error:
            raise _cannot_write(self._staging, error) from None

    def _begin(self, table: str, day: int) -> None:
        text = date.fromordinal(date(1970, 1, 1).toordinal() + day).isoformat()
        path = os.path.join(table, f"date={text}", f"{self._name}-{len(self._tables)}.parquet")
        file = begin_file(os.path.join(self._staging, path))
        self._tables[path] = table
        schema = _SCHEMAS[table]
        self._open[table, day] = _File(path, file, pq.ParquetWriter(file, schema, **parquet_options(table, schema)))


def table_of(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    """Give rows as an Arrow table."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, each.type) for column, each in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _cannot_write(path: str, error: Exception) -> PipelineError:
    return PipelineError(f"{path}: cannot be written: {reason_of(error)}")
