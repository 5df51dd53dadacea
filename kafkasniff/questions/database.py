"""Tables of captures in DuckDB."""

import glob
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.object_store import is_object
from kafkasniff.lakes.formats import FORMATS, LakeError
from kafkasniff.questions.errors import QuestionError
from kafkasniff.questions.named import text_of
from kafkasniff.tables.blocks.arrow import ArrowField, Batch, export_stream
from kafkasniff.tables.blocks.columns import ROWS
from kafkasniff.tables.declared import BATCHES, CALLS, PARTITIONS_NAMED, RECORDS, TABLES, Table
from kafkasniff.tables.filling import TableFiller

MEMORY = "256MB"
"""What DuckDB may hold of tables before it writes them to its temporary folder."""

_TOGETHER = -(-122_880 // ROWS)
"""Blocks that are put into a table together: as many rows as a row group of DuckDB has (DEFAULT_ROW_GROUP_SIZE), since
fewer are written twice, first for the transaction, then behind those that the table has."""

_INSTALL = "DuckDB is not installed: install it with `pip install 'kafkasniff[sql]'`"

_FUNCTIONS = (
    "CREATE MACRO percentile(x, p) AS quantile_cont(x, p)",
    'CREATE MACRO "array"(a, b, c) AS [a, b, c]',
    "CREATE MACRO element_at(l, n) AS list_extract(l, n)",
    "CREATE MACRO array_min(l) AS list_min(l)",
    "CREATE MACRO collect_set(x) AS coalesce(list(DISTINCT x) FILTER (x IS NOT NULL), [])",
    "CREATE MACRO days_between(a, b) AS date_diff('day', a, b)",
    "CREATE MACRO timestamp_micros(x) AS make_timestamptz(x)",
    "CREATE MACRO explode_outer(l) AS unnest(CASE WHEN len(l) > 0 THEN l ELSE [NULL] END)",
)
"""Spark's names for what DuckDB has under others; `days_between` is Spark's `datediff` the other way round."""

VIEWS = ("clients",)
"""Named questions that are as good as tables."""

TABLE_NAMES = [name for name in TABLES if name != RECORDS.name]
"""The tables that are filled unless records are asked for."""

_LARGEST = (CALLS, BATCHES, PARTITIONS_NAMED)
"""Tables that have rows of nearly every call."""

_OF_PARTITIONS = frozenset({"time_ns", "api_name", "client_host", "client_id", "topic", "partition", "lag"})
"""What questions ask of the table `partitions`; their words `bytes` and `records` mean those of batches."""

_TYPES = {
    "binary": "BLOB",
    "string": "VARCHAR",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "double": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp[us, tz=UTC]": "TIMESTAMPTZ",
    "list<string>": "VARCHAR[]",
    "list<struct<key: string, value: binary>>": "STRUCT(key VARCHAR, value BLOB)[]",
}
"""DuckDB's names of the types in the declarations."""


_STORED = (
    ("read_parquet({})", "{}.parquet"),
    ("read_parquet({}, hive_partitioning = true)", "{}/**/*.parquet"),
    ("read_csv({})", "{}.csv"),
)
"""How tables lie in a folder: as `tables` and as `pipeline` write them."""


class Answer(NamedTuple):
    """What a query gave."""

    columns: Sequence[str]
    rows: Iterator[tuple[Any, ...]]


class _Waiting:
    """Batches of one table, which DuckDB takes as one Arrow stream."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = ", ".join(map(quoted, columns))
        self.fields: Sequence[ArrowField] = ()
        self.batches: list[Batch] = []

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return export_stream(self.fields, self._taken())

    def _taken(self) -> Iterator[Batch]:
        """Give each batch, and forget it: memory does not hold all rows twice while DuckDB takes them."""
        self.batches.reverse()
        while self.batches:
            yield self.batches.pop()


class Database:
    """A database with the tables of captures, for as long as it is entered."""

    def __init__(self, path: str | None = None, *, on_disk: bool = False) -> None:
        """Open a new database at `path`; without one in memory or, `on_disk`, in a file that is removed with it.

        Raises QuestionError where DuckDB is not there.
        """
        try:
            import duckdb
        except ImportError:
            raise QuestionError(_INSTALL) from None
        self._error: type[Exception] = duckdb.Error
        self._waiting: dict[str, _Waiting] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="kafkasniff-")
        try:
            place = path or (self.aside("tables.duckdb") if on_disk else ":memory:")
            self._connection: duckdb.DuckDBPyConnection = duckdb.connect(place)
        except duckdb.Error as error:
            self._folder.cleanup()
            raise QuestionError(f"{path}: cannot be opened: {_sentence(error)}") from None
        # In memory DuckDB compresses only databases that are attached so, and only at checkpoints.
        self._is_in_memory = path is None and not on_disk
        if self._is_in_memory:
            self.run("ATTACH ':memory:' AS captures (COMPRESS)")
            self.run("USE captures")
        self.run("SET TimeZone = 'UTC'")
        self.run(f"SET memory_limit = '{MEMORY}'")
        self.run("SET temp_directory = ?", [self._folder.name])
        self.run("SET enable_progress_bar = false")
        # At the end of what is inserted all would be written once more.
        self.run("SET checkpoint_threshold = '1TB'")
        if path is None:
            # What is removed then need not be written at the end either.
            self.run("PRAGMA disable_checkpoint_on_shutdown")
        for function in _FUNCTIONS:
            self.run(function.replace("MACRO", "TEMP MACRO"))

    def __enter__(self) -> Self:
        """Give the database."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it, and remove what was put aside."""
        self._connection.close()
        self._folder.cleanup()

    def filler(self, wanted: Iterable[str], text: str = "*") -> TableFiller:
        """Make the `wanted` tables, of the largest only columns that `text` mentions, and give what fills them."""
        columns = self.prepare(wanted, text)
        return TableFiller(columns, self.insert)

    def prepare(self, wanted: Iterable[str], text: str = "*") -> dict[str, list[str] | None]:
        """Make the `wanted` tables, of the largest only columns that `text` mentions; give these (None: all)."""
        # Blocks are small: several threads would take longer to agree than to take them.
        self.run("SET threads = 1")
        columns: dict[str, list[str] | None] = {}
        for name in wanted:
            table = TABLES[name]
            names = [each.name for each in table.columns]
            columns[name] = None
            if table in _LARGEST and text != "*":
                names = columns[name] = columns_in(table, text)
            self.make(table, names)
            self._waiting[name] = _Waiting(names)
        return columns

    def aside(self, name: str) -> str:
        """Give the path of a file in the folder that is removed with the database."""
        return os.path.join(self._folder.name, name)

    def register(self, name: str, stream: Any) -> None:
        """Let queries see what has `__arrow_c_stream__` as a table."""
        self._connection.register(name, stream)

    def make(self, table: Table, columns: Sequence[str]) -> None:
        """Make a table without rows, with some of its columns."""
        types = ", ".join(f"{quoted(each.name)} {_TYPES[each.type]}" for each in table.columns if each.name in columns)
        self.run(f"CREATE TABLE {quoted(table.name)} ({types})")

    def make_views(self) -> None:
        """Make views of the questions that are as good as tables, where `calls` is there with all columns."""
        [(columns,)] = self.ask("SELECT count(*) FROM duckdb_columns() WHERE table_name = 'calls'").rows
        for name in VIEWS if columns == len(CALLS.columns) else ():
            self.run(f"CREATE OR REPLACE VIEW {quoted(name)} AS {text_of(name)}")

    def use(self, path: str) -> None:
        """Let queries see the tables in a folder (of `tables` or `pipeline`) or a database. Raises QuestionError."""
        if not is_object(path) and not os.path.isdir(path):
            self.run(f"ATTACH {literal(path)} AS stored (READ_ONLY)")
            self.run("USE stored")
            return
        found = False
        for name in TABLES:
            if is_object(path) or any(os.path.isdir(os.path.join(path, name, log)) for log in FORMATS.values()):
                found = self._use_rows(f"{path.rstrip('/')}/{name}", name) or found
                continue
            for form, pattern in _STORED:
                place = os.path.join(glob.escape(path), pattern.format(name))
                if glob.glob(place, recursive=True):
                    self.run(f"CREATE VIEW {quoted(name)} AS SELECT * FROM {form.format(literal(place))}")
                    found = True
                    break
        if not found:
            raise QuestionError(f"{path}: expected tables such as calls.parquet, found none")
        self.make_views()

    def _use_rows(self, table: str, name: str) -> bool:
        """Let queries see a table in an object store, or one of Delta Lake or Iceberg; tell whether it is there."""
        try:
            from kafkasniff.lakes.tables import rows_of
        except ModuleNotFoundError as error:
            raise QuestionError(f"{table}: needs {error.name}: pip install 'kafkasniff[lake]'") from None
        try:
            rows = rows_of(table)
        except (CaptureError, LakeError, OSError) as error:
            raise QuestionError(str(error)) from None
        if rows is not None:
            self.register(name, rows)
        return rows is not None

    def insert(self, name: str, block: Any) -> None:
        """Add a block of rows to a table that was prepared; it is there when something is asked."""
        waiting = self._waiting[name]
        waiting.fields = block.fields
        waiting.batches.append(block.as_batch())
        if len(waiting.batches) == _TOGETHER:
            self._insert_waiting(name, waiting)
            if self._is_in_memory:
                self._execute("CHECKPOINT")

    def _insert_waiting(self, name: str, waiting: _Waiting) -> None:
        self.register("_waiting", waiting)
        self._execute(f"INSERT INTO {quoted(name)} SELECT {waiting.columns} FROM _waiting")
        self._connection.unregister("_waiting")

    def _insert_rest(self) -> None:
        for name, waiting in self._waiting.items():
            if waiting.batches:
                self._insert_waiting(name, waiting)

    def run(self, text: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement. Raises QuestionError."""
        self._insert_rest()
        self._execute(text, parameters)

    def _execute(self, text: str, parameters: Sequence[Any] = ()) -> None:
        try:
            self._connection.execute(text, list(parameters))
        except self._error as error:
            raise QuestionError(_sentence(error)) from None

    def ask(self, text: str, parameters: Sequence[Any] = ()) -> Answer:
        """Run a query and give its answer; rows are taken as they are asked for. Raises QuestionError."""
        self.run("RESET threads")
        self.run(text, parameters)
        columns = [each[0] for each in self._connection.description or ()]
        return Answer(columns, self._rows())

    def record_batches(self, text: str) -> Any:
        """Run a query and give its answer as pyarrow's reader of record batches. Raises QuestionError."""
        self._insert_rest()
        try:
            return self._connection.sql(text).to_arrow_reader(16_384)
        except self._error as error:
            raise QuestionError(_sentence(error)) from None

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        try:
            while rows := self._connection.fetchmany(1_000):
                yield from rows
        except self._error as error:
            raise QuestionError(_sentence(error)) from None


def columns_in(table: Table, text: str) -> list[str]:
    """Give the columns of a table that a query mentions; one at least, as rows may be but counted."""
    words = set(re.findall(r"\w+", text))
    if table is PARTITIONS_NAMED:
        words &= _OF_PARTITIONS
    names = [each.name for each in table.columns]
    return [each for each in names if each in words] or names[:1]


def mentioned(text: str) -> list[str]:
    """Give the tables that a query may ask: those whose names stand in it."""
    words = set(re.findall(r"\w+", text.lower()))
    return [name for name in TABLES if name in words or (name == CALLS.name and words & set(VIEWS))]


def quoted(name: str) -> str:
    """Give a name as SQL takes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Give a text as SQL takes it, whatever is in it."""
    return "'" + text.replace("'", "''") + "'"


def _sentence(error: Exception) -> str:
    """Give in a line what DuckDB says, without the query that it repeats with a mark below."""
    return " ".join(str(error).partition("\n\nLINE ")[0].split())
