"""Puts small files of tables together: readers open each, and Spark's tasks do so too."""

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from kafkasniff.capture.files.object_store import is_object, placed
from kafkasniff.pipeline.destinations.files import begin_file, finish_file
from kafkasniff.pipeline.follow.ledger import Ledger
from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.inputs.places import status_of
from kafkasniff.pipeline.rows.output import Written
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.pipeline.spreading import collected, spread
from kafkasniff.pipeline.tasks import RESULT, result_batch, task_of_worker, work_in
from kafkasniff.tables.declared import TABLES
from kafkasniff.tables.parquet import parquet_options
from kafkasniff.typed_json import to_json

LARGE_BYTES = 128 << 20
"""Files from this size on stay as they are, and new ones end at it: what Spark gives one task of a scan."""
_GROUP_ROWS = 1 << 17
_GROUP_BYTES = 32 << 20
"""Rows, or bytes of them in memory, that are one row group at most."""


@dataclass(frozen=True, slots=True)
class Small:
    """Files of one table and date."""

    folder: str
    """Where they lie, below the folder with the tables."""
    paths: list[str]
    """The whole paths, or URIs."""


@dataclass(frozen=True, slots=True)
class Together:
    """What became of such."""

    files: list[Written]


@dataclass(frozen=True, slots=True)
class CompactTask:
    """Puts files together."""

    work: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take `Small` as JSON; give a `Together` for each."""
        with task_of_worker():
            for small in work_in(batches, Small):
                yield result_batch(to_json(Together([*self._write(small)]), Together))

    def _write(self, small: Small) -> Iterator[Written]:
        table = small.folder.partition("/")[0]
        name = uuid4().hex[:12]
        groups = _groups(small.paths, schema_of(TABLES[table]))
        group = next(groups, None)
        number = 0
        while group is not None:
            path = f"{small.folder}/compacted-{name}-{number}.parquet"
            file = begin_file(os.path.join(self.work, path))
            rows = 0
            with pq.ParquetWriter(file, group.schema, **parquet_options(table, group.schema)) as writer:
                while group is not None and not (rows and file.tell() >= LARGE_BYTES):
                    writer.write_table(group)
                    rows += group.num_rows
                    group = next(groups, None)
            finish_file(file)
            yield Written(table, path, rows)
            number += 1


def _groups(paths: list[str], schema: pa.Schema) -> Iterator[pa.Table]:
    """Give the rows of files as row groups, each in the order of time; columns that files lack are null."""
    stores = is_object(paths[0])
    system = placed(paths[0])[0] if stores else None
    places = [placed(path)[1] if stores else path for path in paths]
    rows = ds.dataset(places, schema=schema, format="parquet", filesystem=system)
    waiting: list[pa.RecordBatch] = []
    count = size = 0
    for batch in rows.to_batches(batch_size=_GROUP_ROWS // 8, batch_readahead=1, fragment_readahead=1):
        waiting.append(batch)
        count, size = count + batch.num_rows, size + batch.nbytes
        if count >= _GROUP_ROWS or size >= _GROUP_BYTES:
            yield pa.Table.from_batches(waiting).sort_by("time")
            waiting, count, size = [], 0, 0
    if count:
        yield pa.Table.from_batches(waiting).sort_by("time")


def compact(session: SparkSession, ledger: Ledger, state: State) -> State:
    """Put the small files of a run together, by table and date, and give the state behind it. Raises PipelineError.

    Rows that later ones may take the place of stay in files of their own.
    """
    apart = {each.path for written in state.provisional.values() for each in written}
    small: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(ledger.shown()):
        if path not in apart and status_of(ledger.place_of(path)).size < LARGE_BYTES:
            small[os.path.dirname(path)].append(path)
    work = [
        Small(folder, [ledger.place_of(path) for path in paths]) for folder, paths in small.items() if len(paths) > 1
    ]
    if not work:
        return state
    task = CompactTask(ledger.work)
    found = collected(spread(session, work, Small).mapInArrow(task, from_arrow_schema(RESULT)), Together)
    new = state.next()
    new.moves = [file for each in found for file in each.files]
    new.removals = [path for each in work for path in small[each.folder]]
    ledger.commit(new)
    return new
