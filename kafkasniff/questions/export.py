"""Tables as files, written while captures are read: Parquet, CSV, or Arrow's file format."""

import os
from collections.abc import Iterable, Iterator
from queue import Queue
from threading import Thread
from typing import Any

from kafkasniff.questions.database import Database, literal, quoted
from kafkasniff.questions.errors import QuestionError
from kafkasniff.questions.named import text_of
from kafkasniff.tables.arrow import Batch, export_stream
from kafkasniff.tables.columns import fields_of
from kafkasniff.tables.declared import CALLS, CLIENTS, TABLES, Table
from kafkasniff.tables.filling import TableFiller

FORMATS = ("parquet", "csv", "arrow")

_CONTROLS = r"[\x00-\x1f\x7f-\x9f]"
_FORMULA = r"^[=+\-@\t\r]"

_ROW_GROUP = 32_768
"""Rows that wait in memory until they are written together."""
_WAITING_BLOCKS = 2


class _Blocks:
    """Blocks of one table, which DuckDB takes as one Arrow stream while they come."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.error: Exception | None = None
        self._waiting: Queue[Any] = Queue(_WAITING_BLOCKS)

    def give(self, block: Any) -> None:
        """Hand on a block; None ends the stream. Raises what went wrong where it was taken."""
        self._waiting.put(block)
        if self.error is not None:
            raise self.error

    def write(self, database: Database, path: str, form: str) -> None:
        """Write what comes; what goes wrong is kept, and the rest is passed over."""
        try:
            _write(database, self, path, form)
        except Exception as error:
            self.error = error
            while self._waiting.get() is not None:
                pass

    def _batches(self) -> Iterator[Batch]:
        while (block := self._waiting.get()) is not None:
            yield block.as_batch()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return export_stream(fields_of(self.table), self._batches())


class Export:
    """Writes tables into a folder, one file each, while their rows come."""

    def __init__(self, database: Database, names: Iterable[str], folder: str, form: str) -> None:
        """Begin files for the tables `names`, and `clients`. Raises QuestionError where one is there, OSError."""
        os.makedirs(folder, exist_ok=True)
        names = list(names)
        self._paths = {name: os.path.join(folder, f"{name}.{form}") for name in (*names, CLIENTS.name)}
        for path in self._paths.values():
            if os.path.lexists(path):
                raise QuestionError(
                    f"{path}: exists already: expected a folder without it; remove it or name another folder"
                )
        if form == "arrow":
            _pyarrow()
        self._database, self._form = database, form
        database.prepare([CALLS.name], text_of(CLIENTS.name))
        self._blocks = {name: _Blocks(TABLES[name]) for name in names}
        self._threads = []
        for name, blocks in self._blocks.items():
            given = database.other(), self._paths[name], form
            # A daemon: where the command fails on the way, nothing waits for the rest of the rows.
            self._threads.append(Thread(target=blocks.write, args=given, daemon=True))
        for thread in self._threads:
            thread.start()
        self.filler = TableFiller(dict.fromkeys([*names, CALLS.name]), self._take)

    def _take(self, name: str, block: Any) -> None:
        if name == CALLS.name:
            self._database.insert(name, block)
        if name in self._blocks:
            self._blocks[name].give(block)

    def finish(self) -> None:
        """End the files, and write `clients`. Raises QuestionError, OSError."""
        for blocks in self._blocks.values():
            blocks.give(None)
        for thread in self._threads:
            thread.join()
        for blocks in self._blocks.values():
            if blocks.error is not None:
                raise blocks.error
        source = f"({text_of(CLIENTS.name)})"
        _copy(self._database, CLIENTS, source, self._paths[CLIENTS.name], self._form)


def _write(database: Database, blocks: _Blocks, path: str, form: str) -> None:
    database.register("_blocks", blocks)
    _copy(database, blocks.table, "_blocks", path, form)


def _copy(database: Database, table: Table, source: str, path: str, form: str) -> None:
    """Write what `source` gives, in the columns of a table."""
    if form == "parquet":
        write_parquet(database, f"SELECT * FROM {source}", path)
    elif form == "csv":
        columns = ", ".join(_safe_column(each.name, each.type) for each in table.columns)
        database.run(f"COPY (SELECT {columns} FROM {source}) TO {literal(path)} (FORMAT csv, HEADER)")
    else:
        _write_arrow(database, f"SELECT * FROM {source}", path)


def write_parquet(database: Database, query: str, path: str) -> None:
    """Write the answer of a query as a Parquet file. Raises QuestionError."""
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP}"
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
    try:
        import pyarrow
    except ImportError:
        text = "pyarrow is not installed, which writes Arrow's file format: install it with `pip install pyarrow`"
        raise QuestionError(text) from None
    return pyarrow


def _write_arrow(database: Database, query: str, path: str) -> None:
    pa = _pyarrow()
    reader = database.record_batches(query)
    with pa.OSFile(path, "wb") as stream, pa.ipc.new_file(stream, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
