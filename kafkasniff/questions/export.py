"""Tables of a database as files: Parquet, CSV, or Arrow's file format."""

import os
from collections.abc import Iterable

from kafkasniff.questions.database import Database, literal, quoted
from kafkasniff.questions.errors import QuestionError
from kafkasniff.tables.declared import ALL_TABLES, CLIENTS

FORMATS = ("parquet", "csv", "arrow")

_CONTROLS = r"[\x00-\x1f\x7f-\x9f]"
_FORMULA = r"^[=+\-@\t\r]"


def export(database: Database, names: Iterable[str], folder: str, form: str) -> list[str]:
    """Write tables into a folder as one file each; give the paths. Raises QuestionError, OSError."""
    os.makedirs(folder, exist_ok=True)
    paths = {name: os.path.join(folder, f"{name}.{form}") for name in names}
    for path in paths.values():
        if os.path.lexists(path):
            raise QuestionError(
                f"{path}: exists already: expected a folder without it; remove it or name another folder"
            )
    for name, path in paths.items():
        if form == "parquet":
            database.run(f"COPY {quoted(name)} TO {literal(path)} (FORMAT parquet, COMPRESSION zstd)")
        elif form == "csv":
            columns = ", ".join(
                _safe_column(each.name, each.type) for each in (ALL_TABLES | {CLIENTS.name: CLIENTS})[name].columns
            )
            database.run(f"COPY (SELECT {columns} FROM {quoted(name)}) TO {literal(path)} (FORMAT csv, HEADER)")
        else:
            _write_arrow(database, name, path)
    return list(paths.values())


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


def _write_arrow(database: Database, name: str, path: str) -> None:
    try:
        import pyarrow as pa
    except ImportError:
        text = "pyarrow is not installed, which writes Arrow's file format: install it with `pip install pyarrow`"
        raise QuestionError(text) from None
    reader = database.record_batches(f"SELECT * FROM {quoted(name)}")
    with pa.OSFile(path, "wb") as stream, pa.ipc.new_file(stream, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
