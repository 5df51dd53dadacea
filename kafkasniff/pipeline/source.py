"""`spark.read.format("kafkasniff").load(path)`: the tables as a frame, without writing them.

One task reads the files of one ring, in order and with the names that all their calls tell; where a ring is larger
than one task should read, `kafkasniff pipeline` shares its connections among many.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.inputs.files import find_inputs, path_of
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows.output import table_of
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.reading import Reading
from kafkasniff.tables.declared import BATCHES, CALLS, CONNECTIONS, ERRORS, RECORDS, Table
from kafkasniff.tables.rows import Row, item_rows, time_of

_TABLES = {table.name: table for table in (CALLS, ERRORS, BATCHES, CONNECTIONS, RECORDS)}
_BATCH_ROWS = 4_096


class CallSource(DataSource):
    """The data source `kafkasniff`.

    Options: `table` (`calls` unless told otherwise, `errors`, `batches`, `connections` or `records`), `keylog` (the
    path of a key log), `from` and `to` (nanoseconds since 1970).
    """

    @classmethod
    def name(cls) -> str:
        """Give the name of the format."""
        return "kafkasniff"

    def schema(self) -> StructType:
        """Give the columns of the table."""
        return from_arrow_schema(schema_of(_table(self.options)))

    def reader(self, schema: StructType) -> "CallReader":
        """Give what reads the rows; all columns are read."""
        return CallReader(self.options)


class CallReader(DataSourceReader):
    """Reads one ring of files a partition."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Take the options of the source. Raises PipelineError for a wrong one."""
        self._table = _table(options)
        self._path = path_of(options.get("path", ""))
        self._key_log = options.get("keylog")
        begin, end = (_time(options, name) for name in ("from", "to"))
        self._options = Options(records=self._table is RECORDS, begin=begin, end=end)
        if not self._path:
            raise PipelineError("the data source kafkasniff needs a path: .load(path)")

    def partitions(self) -> Sequence[InputPartition]:
        """Give the files of each ring; those that cannot be read at all are left out."""
        rings: defaultdict[str, list[str]] = defaultdict(list)
        for each in find_inputs([self._path]):
            if each.reason is None:
                rings[each.ring].append(each.path)
        return [InputPartition((ring, paths)) for ring, paths in rings.items()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Give the rows of one ring, in the order in which calls and connections ended."""
        ring, paths = partition.value
        reading = Reading(
            paths,
            connections=True,
            records=self._options.records,
            two_pass=True,
            metrics=False,
            key_log=self._key_log,
        )
        rows: list[Row] = []
        for item in reading:
            if self._options.wants(time_of(item)):
                found = item_rows(ring, item, self._options.records)
                rows += [row for table, _, row in found if table == self._table.name]
            if len(rows) >= _BATCH_ROWS:
                yield from table_of(rows, schema_of(self._table)).to_batches()
                rows = []
        yield from table_of(rows, schema_of(self._table)).to_batches()


def _table(options: Mapping[str, str]) -> Table:
    name = options.get("table", CALLS.name)
    table = _TABLES.get(name)
    if table is None:
        raise PipelineError(f"there is no table {name!r}: one of {', '.join(_TABLES)}")
    return table


def _time(options: Mapping[str, str], name: str) -> int | None:
    value = options.get(name)
    if value is None:
        return None
    if not value.isdecimal():
        raise PipelineError(f"option {name}: {value!r} is no number of nanoseconds since 1970")
    return int(value)
