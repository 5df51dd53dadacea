"""Tables of any format: who reads them, and what a change of one is."""

import os
from importlib import import_module
from typing import NamedTuple, Protocol, cast

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow.fs import FileType, LocalFileSystem

from kafkasniff.capture.files.object_store import is_folder, is_object, placed
from kafkasniff.lakes.formats import FORMATS, LakeError

PARTITIONS = {"run_id": pa.string(), "date": pa.date32()}
"""Columns that stand in the names of folders only."""


class Change(NamedTuple):
    """Files that become a table's, and others that are it no longer, by their names below its folder."""

    added: list[str]
    removed: list[str]

    def left(self, files: set[str]) -> "Change | None":
        """Give what is to be done where `files` are the table's by now; None where it was done before.

        Raises LakeError where another program has rewritten what is to go.
        """
        if (self.added and files.issuperset(self.added)) or not (self.added or files.intersection(self.removed)):
            return None
        if gone := [path for path in self.removed if path not in files]:
            raise LakeError(f"{gone[0]}: is not in the table any more: did another program rewrite it? --rerun helps")
        return self


def partition_of(path: str) -> dict[str, str]:
    """Give the values that the names of folders in a path have."""
    return dict(part.split("=", 1) for part in path.split("/")[:-1])


class Lake(Protocol):
    """A format of tables, by its module."""

    def commit(self, table: str, schema: pa.Schema, change: Change, run: str) -> None:
        """Change the table in a folder or at a URI in one transaction, make it where it is missing.

        It is given the columns that are new in `schema`. Files of the `run` change only. Raises LakeError.
        """

    def files(self, table: str, run: str | None = None) -> list[str]:
        """Give the files of a table, or those of one run in it, by their names below its folder.

        Raises LakeError.
        """

    def schema(self, table: str) -> pa.Schema:
        """Give the columns of a table. Raises LakeError."""


def lake_named(name: str) -> Lake:
    """Give a format by its name in `FORMATS`. Raises LakeError where its library is not there."""
    try:
        return cast(Lake, import_module(f"kafkasniff.lakes.{name}"))
    except ModuleNotFoundError as error:
        raise LakeError(f"{name} needs {error.name}: pip install 'kafkasniff[lake]'") from None


def format_of(table: str) -> str | None:
    """Give the format of the table in a folder or at a URI; None where it has no log, but only files.

    Raises CaptureError where a store cannot be asked.
    """
    for name, log in FORMATS.items():
        if is_folder(f"{table}/{log}"):
            return name
    return None


def rows_of(table: str) -> ds.Dataset | None:
    """Give the rows of the table in a folder, for who reads Arrow; None where none is there.

    Raises LakeError, and CaptureError where a store cannot be asked.
    """
    parts = ds.partitioning(pa.schema(PARTITIONS), flavor="hive")
    system, place = placed(table) if is_object(table) else (LocalFileSystem(), os.path.abspath(table))
    form = format_of(table)
    if form is None:
        there = system.get_file_info(place).type == FileType.Directory
        return ds.dataset(place, filesystem=system, partitioning=parts, exclude_invalid_files=False) if there else None
    lake = lake_named(form)
    files = [f"{place}/{path}" for path in lake.files(table)]
    schema = lake.schema(table)
    if not files:
        return ds.dataset(schema.empty_table())
    return ds.dataset(files, schema, "parquet", system, parts, partition_base_dir=place)
