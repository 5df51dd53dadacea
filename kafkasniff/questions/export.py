"""Tables as files, written while captures are read: Parquet, CSV, or Arrow's file format."""

import os
from collections.abc import Collection, Iterable
from typing import Any

from kafkasniff.questions.database import Database, columns_in, literal, quoted
from kafkasniff.questions.errors import QuestionError
from kafkasniff.questions.named import text_of
from kafkasniff.tables.columns import fields_of
from kafkasniff.tables.declared import CALLS, CLIENTS, TABLES, Table
from kafkasniff.tables.filling import TableFiller
from kafkasniff.tables.parquet.file import ParquetFile

FORMATS = ("parquet", "csv", "arrow")

_CONTROLS = r"[\x00-\x1f\x7f-\x9f]"
_FORMULA = r"^[=+\-@\t\r]"


class Export:
    """Writes tables into a folder, one file each, while their rows come; of other formats than Parquet at the end."""

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
        wanted: dict[str, list[str] | None] = {CALLS.name: columns_in(CALLS, text_of(CLIENTS.name))}
        wanted |= dict.fromkeys(names)
        self._files = {name: self._begin(TABLES[name], columns) for name, columns in wanted.items()}
        self.filler = TableFiller(wanted, lambda name, block: self._files[name].write(block.as_batch()))

    def _begin(self, table: Table, columns: Collection[str] | None) -> ParquetFile:
        """Begin the file of a table: the one that is asked for, or one that lies aside until the end."""
        is_asked_for = self._form == "parquet" and table.name in self._paths
        path = self._paths[table.name] if is_asked_for else self._database.aside(f"{table.name}.parquet")
        return ParquetFile(path, [each for each in fields_of(table) if columns is None or each.name in columns])

    def finish(self) -> None:
        """End the files, and write `clients`. Raises QuestionError, OSError."""
        for name, file in self._files.items():
            file.close()
            self._database.run(f"CREATE VIEW {quoted(name)} AS SELECT * FROM read_parquet({literal(file.path)})")
        if self._form != "parquet":
            for name in self._paths.keys() - {CLIENTS.name}:
                _copy(self._database, TABLES[name], quoted(name), self._paths[name], self._form)
        source = f"({text_of(CLIENTS.name)})"
        _copy(self._database, CLIENTS, source, self._paths[CLIENTS.name], self._form)


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
    database.run(f"COPY ({query.rstrip().removesuffix(';')}) TO {literal(path)} (FORMAT parquet, COMPRESSION zstd)")


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
