"""Tables as files, written while captures are read: Parquet, CSV, or Arrow's file format."""

import os
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from kafkasniff.questions.database import Database, literal, quoted
from kafkasniff.questions.errors import QuestionError
from kafkasniff.tables.blocks.columns import ROWS
from kafkasniff.tables.blocks.row_block import RowBlock
from kafkasniff.tables.calls.client_tally import ClientTally
from kafkasniff.tables.declared import CALLS, CLIENTS, TABLES, Table
from kafkasniff.tables.filling import TableFiller
from kafkasniff.tables.parquet import parquet_options

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("parquet", "csv", "arrow")

_CONTROLS = r"[\p{C}\p{Zl}\p{Zp}]"
"""Controls, and what turns the direction of text or breaks lines (Unicode's categories)."""
_FORMULA = r"^[=+\-@\t\r]"

_KEY = ", ".join(column.name for column in CLIENTS.columns if column.type == "string")
_CLIENTS = f"""
SELECT {_KEY}, CAST(sum(calls) AS BIGINT) AS calls, min(first_time) AS first_time, max(last_time) AS last_time
FROM clients GROUP BY {_KEY} ORDER BY calls DESC, {_KEY}
"""
"""Clients, of whom there may be several rows, as one row each."""

_TOGETHER = -(-122_880 // ROWS)
"""Blocks that wait in memory until they are written as one row group, of as many rows as DuckDB makes one of."""


class _File:
    """A file of a table: Parquet, or Arrow's file format."""

    def __init__(self, table: str, path: str, schema: "pa.Schema", form: str) -> None:
        """Begin the file of a table; texts that `schema` has as dictionaries are plain ones in it."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._waiting: list[Any] = []
        self._schema = pa.schema([(field.name, _plain(field.type)) for field in schema])
        self._form = form
        # Least and greatest texts, which take long to find, leave out no row group: calls of all clients are mixed.
        others = [field.name for field in self._schema if not pa.types.is_string(field.type)]
        self._writer = (
            pq.ParquetWriter(path, schema, write_statistics=others, **parquet_options(table, schema))
            if form == "parquet"
            else pa.ipc.new_file(path, self._schema)
        )

    def add(self, batch: "pa.RecordBatch") -> None:
        """Write rows, many of them together."""
        if len(batch):
            self._waiting.append(batch)
        if len(self._waiting) == _TOGETHER:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa

        table = pa.Table.from_batches(self._waiting)
        self._waiting.clear()
        if self._form == "parquet":
            # The writer takes the texts' numbers as they are where a row group has one dictionary.
            self._writer.write_table(table.unify_dictionaries(), row_group_size=len(table))
        else:
            self._writer.write_table(table.cast(self._schema))

    def close(self) -> None:
        """Write the rest, and end the file."""
        if self._waiting:
            self._write()
        self._writer.close()


def _plain(kind: "pa.DataType") -> "pa.DataType":
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


class Export:
    """Writes tables into a folder, one file each, while their rows come; to be entered."""

    def __init__(self, names: Iterable[str], folder: str, form: str, most_clients: int = 100_000) -> None:
        """Begin files for the tables `names`, and `clients`. Raises QuestionError where one is there, OSError.

        More than `most_clients` are not held in memory.
        """
        self._stream = _pyarrow().RecordBatchReader.from_stream
        os.makedirs(folder, exist_ok=True)
        names = list(names)
        self._paths = {name: os.path.join(folder, f"{name}.{form}") for name in (*names, CLIENTS.name)}
        for path in self._paths.values():
            if os.path.lexists(path):
                raise QuestionError(
                    f"{path}: exists already: expected a folder without it; remove it or name another folder"
                )
        self._form = form
        self._stack = ExitStack()
        self._are_aside = form == "csv"
        self._clients, self._most_clients = ClientTally(), most_clients
        self._files = {name: self._begin(name) for name in names}

    def __enter__(self) -> Self:
        """Give what takes rows."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what was put aside."""
        self._stack.close()

    @cached_property
    def _database(self) -> Database:
        """What is asked where memory does not hold all, or DuckDB writes the files."""
        database = self._stack.enter_context(Database())
        database.make(CLIENTS, [column.name for column in CLIENTS.columns])
        return database

    def filler(self, wanted: Iterable[str], text: str) -> TableFiller:
        """Give what takes the rows of the `wanted` tables, all of their columns."""
        return TableFiller(dict.fromkeys([*wanted, CALLS.name]), self._take)

    def _begin(self, name: str) -> _File:
        schema = self._stream(RowBlock(TABLES[name])).schema
        path, form = self._paths[name], self._form
        if form == "csv":
            path, form = self._database.aside(name), "parquet"
        return _File(name, path, schema, form)

    def _take(self, name: str, block: Any) -> None:
        if name == CALLS.name:
            self._clients.add(block)
            if len(self._clients) > self._most_clients:
                self._are_aside = True
                self._put_clients_aside()
        if name in self._files:
            for batch in self._stream(block):
                self._files[name].add(batch)

    def _put_clients_aside(self) -> None:
        self._database.register("seen", self._clients.take())
        self._database.run(f"INSERT INTO {CLIENTS.name} SELECT * FROM seen")

    def finish(self) -> None:
        """End the files, and write `clients`. Raises QuestionError, OSError."""
        for name, file in self._files.items():
            file.close()
            if self._form == "csv":
                self._write_csv(TABLES[name], f"read_parquet({literal(self._database.aside(name))})")
        if self._are_aside:
            self._put_clients_aside()
        if self._form == "csv":
            self._write_csv(CLIENTS, f"({_CLIENTS})")
            return
        rows = self._database.record_batches(_CLIENTS) if self._are_aside else self._clients.take()
        reader = self._stream(rows)
        clients = _File(CLIENTS.name, self._paths[CLIENTS.name], reader.schema, self._form)
        for batch in reader:
            clients.add(batch)
        clients.close()

    def _write_csv(self, table: Table, source: str) -> None:
        columns = ", ".join(_safe_column(each.name, each.type) for each in table.columns)
        path = literal(self._paths[table.name])
        self._database.run(f"COPY (SELECT {columns} FROM {source}) TO {path} (FORMAT csv, HEADER)")


def write_parquet(database: Database, query: str, path: str) -> None:
    """Write the answer of a query, which may have any types, as a Parquet file. Raises QuestionError."""
    options = "FORMAT parquet, COMPRESSION zstd"
    database.run(f"COPY ({query.rstrip().removesuffix(';')}) TO {literal(path)} ({options})")


def _safe_column(name: str, kind: str) -> str:
    """Give a column without control characters, and without what a spreadsheet takes for a formula."""
    column = quoted(name)
    if kind == "binary":
        return f"to_base64({column}) AS {column}"
    if kind != "string" and not kind.startswith("list"):
        return column
    text = column if kind == "string" else f"to_json({column})::VARCHAR"
    text = f"regexp_replace({text}, {literal(_CONTROLS)}, '\ufffd', 'g')"
    if kind == "string":
        text = f"CASE WHEN regexp_matches({column}, {literal(_FORMULA)}) THEN '''' || {text} ELSE {text} END"
    return f"{text} AS {column}"


def _pyarrow() -> Any:
    """Give pyarrow. Raises QuestionError where it is not there."""
    try:
        import pyarrow
    except ImportError:
        text = "pyarrow is not installed, which writes files of tables: install it with `pip install 'kafkasniff[sql]'`"
        raise QuestionError(text) from None
    return pyarrow
