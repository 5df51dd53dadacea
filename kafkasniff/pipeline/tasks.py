"""What Spark's workers run: functions from Arrow batches to Arrow batches."""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from kafkasniff.freed_memory import give_back_freed_memory, keep_freed_memory
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.indexes.indexing import FileReport, IndexTask, index_file, report_row
from kafkasniff.pipeline.indexes.pieces import PackedRow, in_batches
from kafkasniff.typed_json import from_json, to_json

RESULT = pa.schema([("result", pa.binary())])
"""One row a task: what it has to say, as JSON."""

COLLECTION_THRESHOLDS = (1_000_000, 20, 100)
"""As in `cli.main`: calls and bodies hold no reference cycles."""


@contextmanager
def task_of_worker() -> Iterator[None]:
    """Let a task keep the memory that it frees for itself; give it back at its end, as workers live on."""
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    # Spark searches for cycles behind each task: what was there before it has none, but all modules.
    gc.freeze()
    keep_freed_memory()
    try:
        yield
    finally:
        give_back_freed_memory()


@dataclass(frozen=True, slots=True)
class Learned:
    """What calls and connections tell of others."""

    topics: dict[str, str]
    """Names by topic id."""
    tls_sessions: dict[bytes, bytes]
    """Master secrets by session id or ticket."""


@dataclass(frozen=True, slots=True)
class Lost:
    """In the place of a result: files that the task needs are not any more what they were."""

    reasons: dict[int, str]
    """By index of the part."""
    outdated: str | None = None
    """Why what was carried is of no use."""


WORK = IndexTask | FileReport
"""What there is to index: a file, or what is known of one that cannot be read."""


def work_in(batches: Iterator[pa.RecordBatch], kind: Any) -> Iterator[Any]:
    """Give what a task has to do, each `kind`, of the rows that say it."""
    for batch in batches:
        for data in batch.column("task").to_pylist():
            yield from_json(data, kind)


def index(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Index the files in the column `task`, each row `list[WORK]`."""
    with task_of_worker():
        yield from in_batches(_rows(work for together in work_in(batches, list[WORK]) for work in together))


def _rows(work: Iterable[IndexTask | FileReport]) -> Iterator[PackedRow]:
    for task in work:
        if isinstance(task, FileReport):
            yield report_row(task)
        else:
            yield from index_file(task)


def said(task: Callable[[Iterator[pa.RecordBatch]], object], kind: Any, batches: Iterator[pa.RecordBatch]) -> bytes:
    """Give the result of a task, `kind`; a file that was lost is one, as to try again would not bring it back."""
    try:
        return to_json(task(batches), kind)
    except PipelineError as error:
        if not error.lost and not error.outdated:
            raise
        for _ in batches:
            pass  # Spark expects that a task takes all.
        return to_json(Lost(error.lost, str(error) if error.outdated else None), Lost)


def result_batch(result: bytes) -> pa.RecordBatch:
    """Give a result as the row that a task gives."""
    return pa.RecordBatch.from_arrays([pa.array([result], pa.binary())], schema=RESULT)
