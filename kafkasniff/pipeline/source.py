"""`spark.read.format("kafkasniff").load(path)`: the tables as a frame, without writing them.

With the option `pushdown` rows are made only of calls that Spark's filters want, as far as they ask for what identifies
a call: its time, API, client, server. Spark refuses such a reader unless `spark.sql.python.filterPushdown.enabled` is
set.

One task reads the files of one ring, in order and with the names that all their calls tell; where a ring is larger
than one task should read, `kafkasniff pipeline` shares its connections among many.
"""

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.inputs.files import find_inputs, path_of
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows.output import table_of
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.reading import Reading
from kafkasniff.tables.declared import BATCHES, CALLS, CONNECTIONS, ERRORS, RECORDS, Table
from kafkasniff.tables.rows import Row, call_key, item_rows, time_of

_TABLES = {table.name: table for table in (CALLS, ERRORS, BATCHES, CONNECTIONS, RECORDS)}
_BATCH_ROWS = 4_096

_OF_CALLS = (*("time", "time_ns", "client", "client_host", "server"), "api_key", "api_name", "api_version", "client_id")
"""Columns that filters may ask for, of tables whose rows are of calls."""
_TESTS: dict[type[Filter], Callable[[Any, Any], bool]] = {
    EqualTo: operator.eq,
    In: lambda value, wanted: value in wanted,
    GreaterThan: operator.gt,
    GreaterThanOrEqual: operator.ge,
    LessThan: operator.lt,
    LessThanOrEqual: operator.le,
}
_MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Wanted(NamedTuple):
    """What a filter asks of a call."""

    place: int
    """Of the column among those of `call_key`."""
    test: type[Filter]
    value: Any

    def takes(self, key: Row) -> bool:
        """Tell whether it wants the call."""
        value = key[self.place]
        return value is not None and _TESTS[self.test](value, self.value)


class CallSource(DataSource):
    """The data source `kafkasniff`.

    Options: `table` (`calls` unless told otherwise, `errors`, `batches`, `connections` or `records`), `keylog` (the
    path of a key log), `from` and `to` (nanoseconds since 1970), `pushdown` (`true`: take Spark's filters).
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
        pushes = self.options.get("pushdown", "false").lower() == "true"
        return FilteringReader(self.options) if pushes else CallReader(self.options)


class CallReader(DataSourceReader):
    """Reads one ring of files a partition."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Take the options of the source. Raises PipelineError for a wrong one."""
        self._table = _table(options)
        self._path = path_of(options.get("path", ""))
        self._key_log = options.get("keylog")
        begin, end = (_time(options, name) for name in ("from", "to"))
        self._options = Options(records=self._table is RECORDS, begin=begin, end=end)
        self._wanted: list[_Wanted] = []
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
            if self._options.wants(time_of(item)) and self._takes(ring, item):
                found = item_rows(ring, item, self._options.records)
                rows += [row for table, _, row in found if table == self._table.name]
            if len(rows) >= _BATCH_ROWS:
                yield from table_of(rows, schema_of(self._table)).to_batches()
                rows = []
        yield from table_of(rows, schema_of(self._table)).to_batches()

    def _takes(self, ring: str, item: Item) -> bool:
        """Tell whether filters want the rows of what the engine gave."""
        if not self._wanted or not isinstance(item, Call):
            return True
        key = call_key(ring, item)
        return all(each.takes(key) for each in self._wanted)


class FilteringReader(CallReader):
    """Reads rows of those calls alone that filters want."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802, as Spark calls it
        """Note what filters ask of calls; give all, as Spark is to look at the rows once more."""
        names = [column.name for column in self._table.columns]
        for each in filters:
            value = getattr(each, "value", None)
            name = each.attribute[0] if type(each) in _TESTS and len(each.attribute) == 1 else ""
            if self._table is not CONNECTIONS and name in _OF_CALLS:
                value = _microseconds(value) if name == "time" else value
                if value is not None:
                    self._wanted.append(_Wanted(names.index(name), type(each), value))
            yield each


def _microseconds(value: Any) -> Any:
    """Give times as rows have them, in µs since 1970; None for what is none."""
    if isinstance(value, tuple):
        found = tuple(_microseconds(each) for each in value)
        return None if None in found else found
    if not isinstance(value, datetime):
        return None
    return (value.astimezone(UTC) - _EPOCH) // _MICROSECOND


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
