"""The job: index the files, learn names, write the tables, commit."""

import gc
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from pyspark import StorageLevel, TaskContext
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from kafkasniff.calls.call import Call, ConnectionReport
from kafkasniff.capture.reader import CHUNK_BYTES
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.indexing import FileReport, IndexTask, index_file, report_batch
from kafkasniff.pipeline.inputs import Input
from kafkasniff.pipeline.output import Destination, TableWriter, Written
from kafkasniff.pipeline.pieces import ORDER, REPORT, SCHEMA
from kafkasniff.pipeline.reassembly import IndexedFile, Item, Known, Reassembly
from kafkasniff.pipeline.rows import Placed, call_rows, connection_row, file_row
from kafkasniff.pipeline.vantages import vantages_of

BUCKET_BYTES = 128 << 20
"""Bytes of captures that a bucket holds, about: a task's memory does not grow with it, but its time."""

_COLLECTION_THRESHOLDS = (100_000, 20, 100)
"""As in `cli.main`: calls and bodies hold no reference cycles."""

_NAMES = pa.schema([("topic_id", pa.string()), ("name", pa.string())])
_RESULTS = pa.schema([("table", pa.string()), ("path", pa.string()), ("rows", pa.int64())])
_NOTE = ""
"""In the place of a table's name: `path` is a note."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for."""

    key_log: bytes = b""
    """Lines of a TLS key log."""
    records: bool = False
    begin: int | None = None
    """Only calls and connections from this time on, in ns since 1970 …"""
    end: int | None = None
    """… and before this."""
    payload: bool = False
    """Let the packets' bytes travel with their places: where the files cannot be read again by every task."""
    buckets: int | None = None
    """Number of tasks that connections are shared among; None: by the size of the files."""
    chunk_bytes: int = CHUNK_BYTES
    """Bytes of a file that one row is about."""

    def texts(self) -> list[str]:
        """Give those that change what comes out, for the id of the run."""
        return [self.key_log.hex(), str(self.records), str(self.begin), str(self.end)]

    def wants(self, time: int) -> bool:
        """Tell whether something of a time is asked for."""
        return (self.begin is None or time >= self.begin) and (self.end is None or time < self.end)


@dataclass(slots=True)
class Outcome:
    """What a run brought."""

    rows: dict[str, int]
    """By table."""
    added: bool = True
    """False where the run had been complete before."""
    packets: int = 0
    unread: list[str] = field(default_factory=list)
    """Reasons why files were not read, or not to their end."""
    notes: list[str] = field(default_factory=list)
    """Limits that were reached, in sentences."""


def run(session: SparkSession, inputs: Sequence[Input], destination: Destination, options: Options) -> Outcome:
    """Write the tables of `inputs`; raises PipelineError, after which nothing was added."""
    done = destination.finished()
    if done is not None:
        return Outcome(done, added=False)
    destination.begin()
    frame = _index(session, inputs, options).persist(StorageLevel.DISK_ONLY)
    try:
        reports = _reports(frame)
        vantages = vantages_of(inputs, reports)
        files = [
            IndexedFile(each.path, each.head, vantage, report.interfaces)
            for each, vantage, report in zip(inputs, vantages, reports, strict=True)
        ]
        key_log = b"\n".join([options.key_log, *(report.secrets for report in reports)])
        known = Known(files, key_log, records=options.records)
        names = {row.topic_id: row.name for row in _map(frame, _Learning(known), _NAMES).collect()}
        known = Known(files, key_log, names, options.records)
        found = _map(frame, _Writing(known, destination.staging, options), _RESULTS).collect()
        written = [Written(row.table, row.path, row.rows) for row in found if row.table != _NOTE]
        outcome = Outcome({}, packets=sum(report.packets for report in reports))
        outcome.notes = [row.path for row in found if row.table == _NOTE]
        outcome.unread = [report.reason for report in reports if report.reason is not None]
        writer = TableWriter(destination.staging, "files")
        first_time = min((report.first_time for report in reports if report.first_time is not None), default=0)
        for each, vantage, report in zip(inputs, vantages, reports, strict=True):
            writer.add([("files", report.first_time or first_time, file_row(vantage, each, report))])
        written += writer.close()
        tables = ["calls", "errors", "batches", "connections", "files", *(["records"] if options.records else [])]
        outcome.rows = destination.commit(written, tables, first_time // 86_400_000_000_000)
    except PySparkException as error:
        destination.abandon()
        raise PipelineError(_reason(error)) from error
    except PipelineError:
        destination.abandon()
        raise
    finally:
        frame.unpersist()
    return outcome


def bucket_count(session: SparkSession, inputs: Sequence[Input]) -> int:
    """Give how many buckets suit the files: of about `BUCKET_BYTES`, and enough for all processors."""
    parallel = session.sparkContext.defaultParallelism
    by_size = -(-sum(each.size for each in inputs) // BUCKET_BYTES)
    return max(by_size, parallel)


def _index(session: SparkSession, inputs: Sequence[Input], options: Options) -> DataFrame:
    """Give the rows of `pieces.SCHEMA`, sorted within buckets."""
    buckets = options.buckets or bucket_count(session, inputs)
    rings = {ring: number for number, ring in enumerate(dict.fromkeys(each.ring for each in inputs))}
    tasks = [
        IndexTask(index, rings[each.ring], each.path, buckets, options.payload or each.compressed, options.chunk_bytes)
        for index, each in enumerate(inputs)
        if each.reason is None
    ]
    unread = [FileReport(index, reason=each.reason) for index, each in enumerate(inputs) if each.reason is not None]
    # The largest first, so that no large file is left when the others are done.
    tasks.sort(key=lambda task: -inputs[task.file].size)
    work = [*tasks, *unread]
    table = pa.table({"place": pa.array(range(len(work)), pa.int32()), "task": [pickle.dumps(each) for each in work]})
    spread = session.createDataFrame(table).repartitionById(max(len(work), 1), "place")
    return (
        spread.mapInArrow(_run_index, from_arrow_schema(SCHEMA))
        .repartitionById(buckets, "bucket")
        .sortWithinPartitions(*ORDER)
    )


def _run_index(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for pickled in batch.column("task").to_pylist():
            task = pickle.loads(pickled)
            if isinstance(task, FileReport):
                yield report_batch(task)
            else:
                yield from index_file(task)


def _reports(frame: DataFrame) -> list[FileReport]:
    rows = frame.filter(col("packets") == REPORT).select("columns").collect()
    reports: list[FileReport] = [pickle.loads(row.columns) for row in rows]
    return sorted(reports, key=lambda report: report.file)


def _map(frame: DataFrame, task: "_Learning | _Writing", schema: pa.Schema) -> DataFrame:
    return frame.mapInArrow(task, from_arrow_schema(schema))


@dataclass(frozen=True, slots=True)
class _Learning:
    """The task that learns what calls tell of others."""

    known: Known

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gc.set_threshold(*_COLLECTION_THRESHOLDS)
        reassembly = Reassembly(self.known)
        for _ in reassembly.run(batches):
            pass
        names = reassembly.topics.known()
        columns = [pa.array(list(names), pa.string()), pa.array(list(names.values()), pa.string())]
        yield pa.RecordBatch.from_arrays(columns, schema=_NAMES)


@dataclass(frozen=True, slots=True)
class _Writing:
    """The task that writes the tables' rows of one bucket."""

    known: Known
    staging: str
    options: Options

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gc.set_threshold(*_COLLECTION_THRESHOLDS)
        context = TaskContext.get()
        assert context is not None
        writer = TableWriter(self.staging, f"part-{context.partitionId():05d}-{context.taskAttemptId()}")
        reassembly = Reassembly(self.known)
        for vantage, items in reassembly.run(batches):
            items.reverse()
            while items:
                # Taken from the list, since the bodies decoded for one row should not outlive it.
                writer.add(self._rows(vantage, items.pop()))
        results = [*writer.close(), *((_NOTE, note, 0) for note in reassembly.notes)]
        columns = list(zip(*results, strict=True)) or [()] * len(_RESULTS)
        arrays = [pa.array(column, each.type) for column, each in zip(columns, _RESULTS, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=_RESULTS)

    def _rows(self, vantage: str, item: Item) -> Iterator[Placed]:
        if isinstance(item, Call):
            if self.options.wants(item.time.time):
                yield from call_rows(vantage, item, self.options.records)
        elif isinstance(item, ConnectionReport) and self.options.wants(item.last.time):
            yield connection_row(vantage, item)


def _reason(error: PySparkException) -> str:
    """Give what a task said, without the traces around it."""
    text = str(error)
    for line in reversed(text.splitlines()):
        _, found, message = line.partition("PipelineError: ")
        if found:
            return message
    return f"Spark gave up: {text.strip().splitlines()[0]}"
