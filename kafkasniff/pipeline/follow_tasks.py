"""What Spark's workers run for a follower: a micro-batch of files through engines that go on where they were."""

import gc
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import TaskContext

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.calls.topics import TopicNames
from kafkasniff.capture.packets import Interface
from kafkasniff.pipeline.carry import Capture, load, save
from kafkasniff.pipeline.clusters import ClusterNames
from kafkasniff.pipeline.diagnosing import ClusterDiagnosis, finding_rows
from kafkasniff.pipeline.events import EventPacker
from kafkasniff.pipeline.merging import Merger, PacketFiles
from kafkasniff.pipeline.naming import MarkedNames, named
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.output import TableWriter, Written
from kafkasniff.pipeline.pieces import pieces_of
from kafkasniff.pipeline.reassembly import Known, Part, new_engine, placed_interfaces
from kafkasniff.pipeline.rows import Placed, item_rows
from kafkasniff.pipeline.tasks import COLLECTION_THRESHOLDS, EVENTS_OF_CLUSTERS, Learned, pickled, result_batch
from kafkasniff.tcp.tls.context import TlsCounters
from kafkasniff.tcp.tls.key_log import KeyLog

HELD_BYTES = 8 << 20
"""Bytes of packets at the end of a capture that wait for its next file, in one bucket."""
MOST_UNNAMED = 50_000
"""Rows of a bucket that wait for the names of their topics."""
_BATCH_EVENTS = 256
FOREVER = 1 << 62
"""A time behind all others (ns)."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What is carried of one capture in one bucket."""

    path: str | None
    """Of the saved `Capture`; None where it has ended."""
    parts: frozenset[int] = frozenset()
    """Those whose interfaces it knows."""
    notes: tuple[str, ...] = ()
    """What could not be read so far and which limits were reached, in sentences."""
    tls_counters: TlsCounters = field(default_factory=TlsCounters)


@dataclass(slots=True)
class Followed:
    """What one task wrote in a micro-batch, and what it learned."""

    bucket: int
    files: list[Written] = field(default_factory=list)
    carried: dict[str, Carried] = field(default_factory=dict)
    """By vantage."""
    cluster_names: dict[str, set[str]] = field(default_factory=dict)
    """By vantage, what `clusters_of` takes."""
    latest_events: dict[str, int] = field(default_factory=dict)
    """By vantage, the time of the last event."""
    unnamed: str | None = None
    """Where rows are saved that lack names."""
    learned: Learned = field(default_factory=lambda: Learned({}, {}))


@dataclass(frozen=True, slots=True)
class FollowTask:
    """Takes the packets of one bucket, and writes the rows of what ended."""

    known: Known
    """Its parts are those of the micro-batch."""
    first_part: int
    """Number of the first of them in the run."""
    bounds: Mapping[str, int | None]
    """By vantage, up to where in time its packets are taken; None: to their end, and the capture's end."""
    carried: Mapping[tuple[int, str], Carried]
    """By bucket and vantage."""
    work: str
    options: Options
    only_learn: bool = False
    """Write nothing, and leave all as it was."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take rows of the index; give a `Followed`, or a `Lost`."""
        gc.set_threshold(*COLLECTION_THRESHOLDS)
        context = TaskContext.get()
        assert context is not None
        yield result_batch(pickled(partial(self._follow, context.partitionId()), batches))

    def _follow(self, bucket: int, batches: Iterator[pa.RecordBatch]) -> Followed:
        return _Follower(self, bucket).run(batches)


class _Open:
    """A capture in the middle of a micro-batch."""

    def __init__(self, capture: Capture, merger: Merger) -> None:
        self.capture = capture
        self.merger = merger


class _Follower:
    """Runs one bucket of a micro-batch."""

    def __init__(self, task: FollowTask, bucket: int) -> None:
        self._task = task
        self._bucket = bucket
        self._files = PacketFiles([each.path for each in task.known.parts], [each.head for each in task.known.parts])
        self._interfaces: dict[int, list[Interface]] = {}
        self._writer = TableWriter(task.work, f"part-{bucket:05d}-{uuid4().hex[:12]}")
        self._unnamed: list[Placed] = []
        self._followed = Followed(bucket)

    def run(self, batches: Iterable[pa.RecordBatch]) -> Followed:
        """Take the rows of the bucket, and go on with its other captures that are to be."""
        done: set[str] = set()
        for _, pieces in groupby(pieces_of(batches), lambda found: found[0]):
            captures: dict[str, _Open] = {}
            for _, piece in pieces:
                part = self._task.known.parts[piece.part]
                open_capture = captures.get(part.vantage)
                if open_capture is None:
                    open_capture = captures[part.vantage] = self._open(part.vantage)
                batch = open_capture.merger.add(piece._replace(numbers=piece.numbers + part.packets_before))
                if batch is not None:
                    self._take(part.vantage, open_capture.capture, open_capture.capture.engine.feed(batch), False)
            for vantage, open_capture in captures.items():
                self._end(vantage, open_capture)
            done |= captures.keys()
        for vantage in self._task.bounds:
            if vantage not in done and self._carried(vantage) is not None:
                self._end(vantage, self._open(vantage))
        self._files.close()
        followed = self._followed
        if not self._task.only_learn:
            followed.files = self._writer.close()
            if self._unnamed:
                followed.unnamed, _ = save(self._task.work, self._unnamed)
        return followed

    def _carried(self, vantage: str) -> str | None:
        carried = self._task.carried.get((self._bucket, vantage))
        return None if carried is None else carried.path

    def _open(self, vantage: str) -> _Open:
        """Take up a capture where it was left, or begin it."""
        known, path = self._task.known, self._carried(vantage)
        merger = Merger(self._files, self._interfaces_of)
        if path is None:
            topics = TopicNames()
            capture = Capture(
                new_engine(known, topics), topics, EventPacker(vantage, self._bucket, 0), ClusterNames(), []
            )
        else:
            capture = load(self._task.work, path)
            capture.engine.tls.key_log.add(known.key_log)
            for session, master in known.tls_sessions.items():
                capture.engine.tls.remember_session(session, master)
        for topic_id, name in known.topics.items():
            capture.topics.add(topic_id, name)
        # Of equal times, what was held comes before what is new.
        first = min(0, *self._interfaces) if self._interfaces else 0
        for number, (piece, interfaces) in enumerate(capture.held, first - len(capture.held)):
            self._interfaces[number] = interfaces
            batch = merger.add(piece._replace(part=number))
            if batch is not None:
                self._take(vantage, capture, capture.engine.feed(batch), False)
        return _Open(capture, merger)

    def _end(self, vantage: str, open_capture: _Open) -> None:
        """Take the rest of the micro-batch's packets, and save what is to be carried."""
        task, capture, merger = self._task, open_capture.capture, open_capture.merger
        engine, bound = capture.engine, task.bounds[vantage]
        batch = merger.cut(bound)
        if batch is not None:
            self._take(vantage, capture, engine.feed(batch), False)
        held = merger.left(HELD_BYTES) if bound is not None else []
        if held is None:
            held = []
            if (batch := merger.cut(None)) is not None:
                self._take(vantage, capture, engine.feed(batch), False)
        capture.held = held
        if bound is None:
            capture.packer.end = task.known.ends[vantage]
            self._take(vantage, capture, engine.flush(), True)
        learned = self._followed.learned
        learned.topics.update(capture.topics.known())
        learned.tls_sessions.update(engine.tls.sessions())
        if task.only_learn:
            return
        notes, counters = tuple(engine.notes()), engine.tls.counters
        path, parts = None, set[int]()
        if bound is not None:
            # Read anew each time.
            engine.tls.key_log = KeyLog()
            path, parts = save(task.work, capture)
        self._followed.carried[vantage] = Carried(path, frozenset(parts), notes, counters)
        self._followed.cluster_names[vantage] = capture.names.names

    def _take(self, vantage: str, capture: Capture, items: list[Item], at_end: bool) -> None:
        """Write the rows of what ended."""
        if self._task.only_learn:
            return
        latest = self._followed.latest_events
        items.reverse()
        while items:
            # Taken from the list, since the bodies decoded for one row should not outlive it.
            item = items.pop()
            event = capture.packer.row(item, at_end)
            latest[vantage] = max(latest.get(vantage, 0), event[2][1])
            self._writer.add([event])
            if not isinstance(item, Call):
                self._writer.add(item_rows(vantage, item, self._task.options))
                continue
            capture.names.take(item)
            names = MarkedNames(item.context.topics)
            item.context = replace(item.context, topics=names)
            rows = [*item_rows(vantage, item, self._task.options)]
            if names.lacking:
                self._unnamed += rows
            else:
                self._writer.add(rows)

    def _interfaces_of(self, part: int) -> list[Interface]:
        found = self._interfaces.get(part)
        if found is None:
            number = self._task.first_part + part
            found = self._interfaces[part] = placed_interfaces(self._task.known.parts[part], number)
        return found


@dataclass(frozen=True, slots=True)
class NamingWork:
    """The rows of a bucket that lack names."""

    bucket: int
    paths: Sequence[str]
    """Where they are saved, the oldest first."""
    at_end: bool
    """Whether no name comes any more."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """What became of the rows of a bucket that lacked names."""

    bucket: int
    complete: list[Written]
    """Those that have all now, or are given up."""
    incomplete: list[Written]
    """The others, as they stand."""
    path: str | None
    """Where these are saved."""
    given_up: int
    """Rows that no longer wait, as there are too many."""


@dataclass(frozen=True, slots=True)
class NameTask:
    """Gives rows the names that are known by now."""

    names: dict[str, str]
    """By topic id."""
    work: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take `NamingWork`, pickled; give a `Renamed` for each."""
        for batch in batches:
            for data in batch.column("task").to_pylist():
                yield result_batch(pickle.dumps(self._name(pickle.loads(data))))

    def _name(self, work: NamingWork) -> Renamed:
        rows: list[Placed] = [row for path in work.paths for row in load(self.work, path)]
        name = f"{work.bucket:05d}-{uuid4().hex[:12]}"
        complete, incomplete = TableWriter(self.work, f"named-{name}"), TableWriter(self.work, f"unnamed-{name}")
        found = [named(row, self.names) for row in rows]
        waiting = [index for index, each in enumerate(found) if not each.complete]
        given_up = waiting if work.at_end else waiting[: max(len(waiting) - MOST_UNNAMED, 0)]
        kept = waiting[len(given_up) :]
        incomplete.add(found[index].placed for index in kept)
        still = set(kept)
        complete.add(each.placed for index, each in enumerate(found) if index not in still)
        path = save(self.work, [rows[index] for index in kept])[0] if kept else None
        lost = 0 if work.at_end else len(given_up)
        return Renamed(work.bucket, complete.close(), incomplete.close(), path, lost)


@dataclass(frozen=True, slots=True)
class EventFile:
    """A file of events."""

    path: str
    """Below the working folder."""
    new: bool
    """Whether nothing of it was fed before."""


@dataclass(frozen=True, slots=True)
class ReadEventsTask:
    """Reads those events whose turn has come."""

    clusters: Mapping[str, int]
    """The place of each vantage's cluster."""
    fed: Mapping[str, int]
    """By vantage, up to where in time the events in earlier files were fed."""
    turn: Mapping[str, int]
    """By vantage, up to where in time it is their turn."""
    work: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take `EventFile`, pickled; give events in `EVENTS_OF_CLUSTERS`."""
        for batch in batches:
            for data in batch.column("task").to_pylist():
                yield from self._read(pickle.loads(data))

    def _read(self, source: EventFile) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(f"{self.work}/{source.path}") as file:
            for events in file.iter_batches(_BATCH_EVENTS):
                vantages = events.column("vantage").to_pylist()
                times = events.column("time").to_numpy()
                wanted = times < np.array([self.turn[vantage] for vantage in vantages], np.int64)
                if not source.new:
                    wanted &= times >= np.array([self.fed.get(vantage, 0) for vantage in vantages], np.int64)
                if wanted.any():
                    clusters = pa.array([self.clusters[vantage] for vantage in vantages], pa.int32())
                    found = pa.RecordBatch.from_arrays([*events.columns, clusters], schema=EVENTS_OF_CLUSTERS)
                    yield found.filter(pa.array(wanted))


@dataclass(frozen=True, slots=True)
class Cluster:
    """Vantages that see one Kafka cluster."""

    number: int
    vantages: tuple[str, ...]
    paths: tuple[str, ...] = ()
    """Where its rules are saved, and those of others that turned out to be of it."""
    limits: tuple[str, ...] = ()
    """Which rules had more to remember than they may."""


@dataclass(slots=True)
class Rules:
    """The rules over one cluster between two micro-batches."""

    cluster: ClusterDiagnosis
    apart: list[tuple[tuple[str, ...], ClusterDiagnosis]] = field(default_factory=list)
    """Rules that looked at vantages apart before it showed that they are of one cluster."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the rules found in one cluster so far."""

    cluster: Cluster
    files: list[Written]


@dataclass(frozen=True, slots=True)
class FindTask:
    """Feeds the rules of one cluster, and writes all findings so far."""

    clusters: Sequence[Cluster]
    """Tasks are by index in it."""
    parts: Mapping[int, Part]
    """All that events may tell of, by number in the run."""
    work: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Take events; give a `Found`."""
        gc.set_threshold(*COLLECTION_THRESHOLDS)
        context = TaskContext.get()
        assert context is not None
        yield result_batch(pickle.dumps(self._find(self.clusters[context.partitionId()], batches)))

    def _find(self, cluster: Cluster, batches: Iterator[pa.RecordBatch]) -> Found:
        rules = self._rules(cluster)
        reader = rules.cluster.reader
        reader.interfaces = {
            number: reader.interfaces.get(number) or placed_interfaces(part, number)
            for number, part in self.parts.items()
        }
        rules.cluster.feed(batches)
        writer = TableWriter(self.work, f"cluster-{cluster.number:05d}-{uuid4().hex[:12]}")
        limits: Counter[str] = Counter()
        for vantages, diagnosed in ((cluster.vantages, rules.cluster), *rules.apart):
            writer.add(finding_rows([*vantages], diagnosed.diagnosis.findings()))
            limits.update(diagnosed.diagnosis.limits_reached())
        path, _ = save(self.work, (cluster.vantages, rules))
        return Found(Cluster(cluster.number, cluster.vantages, (path,), tuple(limits)), writer.close())

    def _rules(self, cluster: Cluster) -> Rules:
        """Take up the rules of a cluster where they were left, or begin."""
        saved: list[tuple[tuple[str, ...], Rules]] = [load(self.work, path) for path in cluster.paths]
        if not saved:
            return Rules(ClusterDiagnosis())
        rules = saved[0][1]
        for vantages, other in saved[1:]:
            rules.cluster.reader.take_over(other.cluster.reader)
            rules.apart += [(vantages, other.cluster), *other.apart]
        return rules
