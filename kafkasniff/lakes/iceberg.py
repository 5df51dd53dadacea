"""Iceberg's tables, by PyIceberg, in folders as Hadoop's catalog has them: readers need no other catalog."""

from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.fs import FileSystem
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.exceptions import CommitFailedException, ValidationError
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import (
    PyArrowFileIO,
    compute_statistics_plan,
    data_file_statistics_from_parquet_metadata,
    parquet_path_to_id_mapping,
)
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema, assign_fresh_schema_ids
from pyiceberg.serializers import FromInputFile, ToOutputFile
from pyiceberg.table import CommitTableResponse, Table, TableProperties
from pyiceberg.table.metadata import TableMetadata, new_table_metadata
from pyiceberg.table.name_mapping import create_mapping_from_schema
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.table.update import TableRequirement, TableUpdate, update_table_metadata
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record

from kafkasniff.capture.files.object_store import is_object, placed
from kafkasniff.lakes.formats import FORMATS, LakeError
from kafkasniff.lakes.tables import PARTITIONS, Change, partition_of

_LOG = FORMATS["iceberg"]

_HINT = "version-hint.text"
_MAPPING = TableProperties.DEFAULT_NAME_MAPPING
_EPOCH = date(1970, 1, 1).toordinal()


class _Store(PyArrowFileIO):
    """Files where captures are read and tables are written, with the same credentials."""

    def _initialize_fs(self, scheme: str, netloc: str | None = None) -> FileSystem:
        return super()._initialize_fs(scheme, netloc) if scheme == "file" else placed(f"{scheme}://{netloc}/")[0]


class _Folder(NoopCatalog):
    """The catalog of one table: its latest metadata is the version that a file beside it names."""

    def commit_table(
        self, table: Table, requirements: tuple[TableRequirement, ...], updates: tuple[TableUpdate, ...]
    ) -> CommitTableResponse:
        """Write the next version of the metadata. Raises CommitFailedException where another one was there first."""
        for each in requirements:
            each.validate(table.metadata)
        metadata = update_table_metadata(table.metadata, updates, metadata_location=table.metadata_location)
        number = _version(table.metadata_location) + 1
        place = f"{table.location()}/{_LOG}/v{number}.metadata.json"
        try:
            ToOutputFile.table_metadata(metadata, table.io.new_output(place))
        except FileExistsError:
            raise CommitFailedException(f"{place} is there already") from None
        _write(table.io, f"{table.location()}/{_LOG}/{_HINT}", str(number).encode())
        return CommitTableResponse.model_validate({"metadata": metadata, "metadata-location": place})


def commit(table: str, schema: pa.Schema, change: Change, run: str) -> None:
    """Change a table in one transaction, make it where it is missing, and give it columns that are new in `schema`.

    Raises LakeError.
    """
    try:
        opened = _open(table) or _make(table, schema)
        before = {} if opened.current_snapshot() is None else _data_files(opened, run)
        left = change.left({*before})
        with opened.transaction() as transaction:
            if set(schema.names) - {*opened.schema().column_names}:
                with transaction.update_schema() as columns:
                    columns.union_by_name(schema)
                mapping = create_mapping_from_schema(transaction.table_metadata.schema())
                transaction.set_properties({_MAPPING: mapping.model_dump_json()})
            if left is not None:
                update = transaction.update_snapshot()
                with update.overwrite() if left.removed else update.fast_append() as snapshot:
                    for path in left.added:
                        snapshot.append_data_file(_data_file(transaction.table_metadata, opened, path))
                    for path in left.removed:
                        snapshot.delete_data_file(before[path])
    except (CommitFailedException, ValidationError, OSError) as error:
        raise LakeError(f"{table}: {error}") from None


def files(table: str, run: str | None = None) -> list[str]:
    """Give the files of a table, or those of one run in it, by their names below its folder. Raises LakeError."""
    try:
        opened = _open(table)
        return [*_data_files(opened, run)] if opened is not None and opened.current_snapshot() is not None else []
    except OSError as error:
        raise LakeError(f"{table}: {error}") from None


def schema(table: str) -> pa.Schema:
    """Give the columns of a table. Raises LakeError."""
    try:
        opened = _open(table)
        return pa.schema([]) if opened is None else opened.schema().as_arrow()
    except OSError as error:
        raise LakeError(f"{table}: {error}") from None


def _location(table: str) -> str:
    return table if is_object(table) else Path(table).absolute().as_uri()


def _open(table: str) -> Table | None:
    """Open the table in a folder; None where there is none yet."""
    location, io = _location(table), _Store()
    hint = io.new_input(f"{location}/{_LOG}/{_HINT}")
    if not hint.exists():
        return None
    with hint.open() as stream:
        number = int(stream.read())
    # A process that was killed behind its commit may not have written which version is the latest.
    while io.new_input(f"{location}/{_LOG}/v{number + 1}.metadata.json").exists():
        number += 1
    place = f"{location}/{_LOG}/v{number}.metadata.json"
    return _table(table, place, io)


def _table(table: str, place: str, io: _Store) -> Table:
    return Table((table,), FromInputFile.table_metadata(io.new_input(place)), place, io, _Folder("folder"))


def _make(table: str, schema: pa.Schema) -> Table:
    columns = assign_fresh_schema_ids(Catalog._convert_schema_if_needed(schema))
    parts = [
        PartitionField(columns.find_field(name).field_id, 1_000 + number, IdentityTransform(), name)
        for number, name in enumerate(PARTITIONS)
    ]
    location, io = _location(table), _Store()
    properties = {_MAPPING: create_mapping_from_schema(columns).model_dump_json()}
    metadata = new_table_metadata(columns, PartitionSpec(*parts), UNSORTED_SORT_ORDER, location, properties)
    place = f"{location}/{_LOG}/v1.metadata.json"
    ToOutputFile.table_metadata(metadata, io.new_output(place))
    _write(io, f"{location}/{_LOG}/{_HINT}", b"1")
    return _table(table, place, io)


def _write(io: FileIO, place: str, data: bytes) -> None:
    with io.new_output(place).create(overwrite=True) as stream:
        stream.write(data)


def _version(place: str) -> int:
    return int(place.rpartition("/v")[2].partition(".")[0])


def _data_files(table: Table, run: str | None) -> dict[str, DataFile]:
    """Give the files of a table by their names below its folder."""
    scan = table.scan(f"run_id = '{run}'") if run else table.scan()
    return {task.file.file_path[len(table.location()) + 1 :]: task.file for task in scan.plan_files()}


def _data_file(metadata: TableMetadata, table: Table, path: str) -> DataFile:
    """Give what the table is to know of a file."""
    source = table.io.new_input(f"{table.location()}/{path}")
    with source.open() as stream:
        of_file = pq.read_metadata(stream)
    schema: Schema = metadata.schema()
    statistics = data_file_statistics_from_parquet_metadata(
        of_file, compute_statistics_plan(schema, metadata.properties), parquet_path_to_id_mapping(schema)
    )
    values = partition_of(path)
    return DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=source.location,
        file_format=FileFormat.PARQUET,
        partition=Record(values["run_id"], date.fromisoformat(values["date"]).toordinal() - _EPOCH),
        file_size_in_bytes=len(source),
        sort_order_id=None,
        spec_id=metadata.default_spec_id,
        equality_ids=None,
        key_metadata=None,
        **statistics.to_serialized_dict(),
    )
