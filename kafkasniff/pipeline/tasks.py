"""What Spark's workers run: functions from Arrow batches to Arrow batches."""

import gc
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
from pyspark import TaskContext

from kafkasniff.diagnose.engine import failures_text
from kafkasniff.diagnose.finding import findings_to_json
from kafkasniff.freed_memory import give_back_freed_memory, keep_freed_memory
from kafkasniff.pipeline.clusters import ClusterNames
from kafkasniff.pipeline.diagnosing import diagnose
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.event_spans import read_events
from kafkasniff.pipeline.events import EventPacker
from kafkasniff.pipeline.indexing import FileReport, IndexTask, index_file, report_batch
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.output import DONE_FOLDER, TableWriter, Written
from kafkasniff.pipeline.reassembly import Known, Part, Reassembly
from kafkasniff.pipeline.shares import Share, dealt
from kafkasniff.pipeline.writing import write_ended
from kafkasniff.tcp.tls.context import TlsCounters
from kafkasniff.typed_json import from_json, to_json

RESULT = pa.schema([("result", pa.binary())])
"""One row a task: what it has to say, as JSON."""

COLLECTION_THRESHOLDS = (100_000, 20, 100)
"""As in `cli.main`: calls and bodies hold no reference cycles."""


@contextmanager
def task_of_worker() -> Iterator[None]:
    """Let a task keep the memory that it frees for itself; give it back at its end, as workers live on."""
    gc.set_threshold(*COLLECTION_THRESHOLDS)
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
class Wrote:
    """What one task wrote, and what it met."""

    files: list[Written]
    notes: list[str]
    tls_counters: TlsCounters = field(default_factory=TlsCounters)
    cluster_names: dict[str, set[str]] = field(default_factory=dict)
    """By vantage, what `clusters_of` takes."""
    events: dict[str, int] = field(default_factory=dict)
    """How many there are, by vantage."""
    needs_learning: bool = False
    """Whether calls or connections may need what others tell, though nothing was learnt before."""


@dataclass(frozen=True, slots=True)
class Lost:
    """In the place of a result: files that the task needs are not any more what they were."""

    reasons: dict[int, str]
    """By index of the part."""


WORK = IndexTask | FileReport
"""What there is to index: a file, or what is known of one that cannot be read."""


def index(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Index the files in the column `task`, each `WORK`."""
    with task_of_worker():
        for batch in batches:
            for data in batch.column("task").to_pylist():
                task = from_json(data, WORK)
                if isinstance(task, FileReport):
                    yield report_batch(task)
                else:
                    yield from index_file(task)


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """What rules found in one share of a cluster's events."""

    task: int
    path: str
    """Where the findings by rule are saved, as yet without what explains them."""
    given_up: dict[str, int]
    """States that rules had to give up, by rule."""
    failures: list[str]
    """Which rules failed, in sentences."""


@dataclass(frozen=True, slots=True)
class LearnTask:
    """Learns what the calls of one bucket tell of others."""

    known: Known

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take rows of the index; give a `Learned`, or a `Lost`."""
        with task_of_worker():
            yield result_batch(said(self._learn, Learned, batches))

    def _learn(self, batches: Iterator[pa.RecordBatch]) -> Learned:
        reassembly = Reassembly(self.known)
        for _ in reassembly.run(batches):
            pass
        return Learned(reassembly.topics.known(), reassembly.tls_sessions)


@dataclass(frozen=True, slots=True)
class WriteTask:
    """Writes the rows of the tables that one bucket brings."""

    known: Known
    staging: str
    options: Options
    buckets: int
    """How many there are."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take rows of the index; give a `Wrote`, or a `Lost`."""
        context = TaskContext.get()
        assert context is not None
        bucket = context.partitionId()
        name = f"{bucket}-of-{self.buckets}" + ("" if self.known.learned else "-unlearnt")
        done = Path(self.staging, DONE_FOLDER, name)
        # Of the same files with the same options, for this folder is the run's.
        if (before := _read_result(done, Wrote | Lost)) is not None:
            yield result_batch(before)
            return
        with task_of_worker():
            result = said(partial(self._write, bucket), Wrote, batches)
        done.parent.mkdir(exist_ok=True)
        temporary = done.with_name(f"{done.name}-{uuid4().hex}")
        temporary.write_bytes(result)
        temporary.replace(done)
        yield result_batch(result)

    def _write(self, bucket: int, batches: Iterator[pa.RecordBatch]) -> Wrote:
        writer = TableWriter(self.staging, f"part-{bucket:05d}-{uuid4().hex[:12]}")
        reassembly = Reassembly(self.known)
        packers: dict[str, EventPacker] = {}
        clusters: defaultdict[str, ClusterNames] = defaultdict(ClusterNames)
        for ended in reassembly.run(batches):
            vantage = ended.vantage
            packer = packers.get(vantage)
            if packer is None:
                packer = packers[vantage] = EventPacker(vantage, bucket, self.known.ends[vantage])
            write_ended(ended, self.options, writer, packer, clusters[vantage])
        names = {vantage: clusters[vantage].names for vantage in packers}
        events = {vantage: packer.events for vantage, packer in packers.items()}
        needs_learning = not self.known.learned and (reassembly.mentions_ids or bool(reassembly.tls_sessions))
        return Wrote(writer.close(), reassembly.notes, reassembly.tls_counters, names, events, needs_learning)


@dataclass(frozen=True, slots=True)
class ReadEventsTask:
    """Reads the events in the files of the column `path`."""

    clusters: Mapping[str, int]
    """The cluster of each vantage."""
    shares: Sequence[Share]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take paths; give rows of `SPANS`."""
        with task_of_worker():
            for path in (path for batch in batches for path in batch.column("path").to_pylist()):
                for events in read_events(path):
                    yield from dealt(events, self.clusters, self.shares)


@dataclass(frozen=True, slots=True)
class DiagnoseTask:
    """Finds what rules say of the calls of one cluster, or of some of them."""

    parts: Sequence[Part]
    shares: Sequence[Share]
    """Tasks are by index in it."""
    staging: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take rows of `SPANS`; give a `Diagnosed`."""
        context = TaskContext.get()
        assert context is not None
        task = context.partitionId()
        with task_of_worker():
            yield result_batch(to_json(self._find(task, batches), Diagnosed))

    def _find(self, task: int, batches: Iterator[pa.RecordBatch]) -> Diagnosed:
        diagnosis = diagnose(self.parts, batches, self.shares[task])
        path = os.path.join(self.staging, DONE_FOLDER, f"findings-{task}-{uuid4().hex}")
        try:
            Path(path).write_bytes(findings_to_json(diagnosis.found()))
        except OSError as error:
            raise PipelineError(f"{path}: cannot be written: {error.strerror}") from None
        return Diagnosed(task, path, diagnosis.given_up(), failures_text(diagnosis.failures()))


def said(task: Callable[[Iterator[pa.RecordBatch]], object], kind: Any, batches: Iterator[pa.RecordBatch]) -> bytes:
    """Give the result of a task, `kind`; a file that was lost is one, as to try again would not bring it back."""
    try:
        return to_json(task(batches), kind)
    except PipelineError as error:
        if not error.lost:
            raise
        for _ in batches:
            pass  # Spark expects that a task takes all.
        return to_json(Lost(error.lost), Lost)


def _read_result(path: Path, kind: Any) -> bytes | None:
    """Give the result of a task that a killed run left, `kind`; None where there is none."""
    try:
        result = path.read_bytes()
        from_json(result, kind)
    except (OSError, ValueError):
        return None
    return result


def result_batch(result: bytes) -> pa.RecordBatch:
    """Give a result as the row that a task gives."""
    return pa.RecordBatch.from_arrays([pa.array([result], pa.binary())], schema=RESULT)
