"""Delta Lake's tables, by delta-rs."""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, Field, Schema
from deltalake.exceptions import DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction

from kafkasniff.capture.files.object_store import is_object, placed, reason_of
from kafkasniff.lakes.formats import LakeError
from kafkasniff.lakes.tables import PARTITIONS, Change, partition_of

_TRIES = 5
"""How often a table is asked: delta-rs asks again where a store is overloaded, but not where an answer was cut."""
_CONFIGURATION = {"delta.checkpointInterval": "10"}
"""As Delta's own writers have it: who opens a table reads each version since the latest checkpoint."""
_Result = TypeVar("_Result")


def commit(table: str, schema: pa.Schema, change: Change, run: str) -> None:
    """Change a table in one transaction, make it where it is missing, and give it columns that are new in `schema`.

    Raises LakeError.
    """
    # What was done is seen by the next try.
    _tried(table, lambda: _commit(table, schema, change, run))


def _commit(table: str, schema: pa.Schema, change: Change, run: str) -> None:
    found = Schema.from_arrow(schema)
    try:
        opened = _open(table)
    except TableNotFoundError:
        opened = DeltaTable.create(
            table, found, "error", list(PARTITIONS), configuration=_CONFIGURATION, storage_options=_options(table)
        )
    known = {field.name for field in opened.schema().fields}
    if new := [Field(each.name, each.type) for each in found.fields if each.name not in known]:
        opened.alter.add_columns(new)
    left = change.left({*_files(opened, run)})
    if left is None:
        return
    now = int(time.time() * 1000)
    added = [_added(table, path, now) for path in left.added]
    removed = [RemoveAction(path, True, now, partition_values=partition_of(path)) for path in left.removed]
    opened.create_write_transaction([*added, *removed], "append", opened.schema(), list(PARTITIONS))


def files(table: str, run: str | None = None) -> list[str]:
    """Give the files of a table, or those of one run in it, by their names below its folder. Raises LakeError."""

    def found() -> list[str]:
        try:
            return _files(_open(table), run)
        except TableNotFoundError:
            return []

    return _tried(table, found)


def schema(table: str) -> pa.Schema:
    """Give the columns of a table. Raises LakeError."""
    return _tried(table, lambda: pa.schema(_open(table).schema().to_arrow()))


def _tried(table: str, what: Callable[[], _Result]) -> _Result:
    """Do what asks a store, and again where that fails. Raises LakeError."""
    for _ in range(_TRIES - 1):
        with suppress(DeltaError, OSError):
            return what()
    try:
        return what()
    except (DeltaError, OSError) as error:
        raise LakeError(f"{table}: {reason_of(error)}") from None


def _open(table: str) -> DeltaTable:
    return DeltaTable(table, storage_options=_options(table))


def _files(table: DeltaTable, run: str | None) -> list[str]:
    uris = table.file_uris(file_pruning_predicate=f"run_id = '{run}'" if run else None)
    return [uri[uri.rindex("/run_id=") + 1 :] for uri in uris]


def _options(table: str) -> dict[str, str]:
    """Let a store be asked without TLS whose endpoint is named so."""
    endpoint = os.environ.get("AWS_ENDPOINT_URL", "") if is_object(table) else ""
    return {"allow_http": "true"} if endpoint.startswith("http:") else {}


def _added(table: str, path: str, now: int) -> AddAction:
    full = f"{table}/{path}"
    system, place = placed(full) if is_object(full) else (None, full)
    metadata = pq.read_metadata(place, filesystem=system)
    size = system.get_file_info(place).size if system is not None else os.path.getsize(place)
    return AddAction(path, size, partition_of(path), now, True, json.dumps(_statistics(metadata)))


def _statistics(metadata: pq.FileMetaData) -> dict[str, Any]:
    """Give the statistics of a file by which readers pass over it: those of numbers.

    Of texts Parquet may hold a part only, and times would have to be rounded.
    """
    least: dict[str, Any] = {}
    most: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            found, name = chunk.statistics, chunk.path_in_schema
            if found is None or "." in name:
                continue
            if found.has_null_count:
                nulls[name] = nulls.get(name, 0) + found.null_count
            if found.has_min_max and type(found.min) is int:
                least[name] = min(least.get(name, found.min), found.min)
                most[name] = max(most.get(name, found.max), found.max)
    return {"numRecords": metadata.num_rows, "minValues": least, "maxValues": most, "nullCount": nulls}
