"""What Spark's workers run for a follower: a micro-batch of files through engines that go on where they were."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from uuid import uuid4

import pyarrow as pa
from pyspark import TaskContext

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.topics import TopicNames
from kafkasniff.calls.items import Item
from kafkasniff.capture.packets import Interface, PacketBatch
from kafkasniff.pipeline.carry import Capture, HeldPackets, load, save
from kafkasniff.pipeline.clusters import ClusterNames
from kafkasniff.pipeline.events import EventPacker
from kafkasniff.pipeline.merging import Merger, PacketFiles
from kafkasniff.pipeline.naming import MarkedNames
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.output import TableWriter, Written
from kafkasniff.pipeline.pieces import pieces_of
from kafkasniff.pipeline.reassembly import Ended, Known, new_engine, placed_interfaces
from kafkasniff.pipeline.tasks import Learned, result_batch, said, task_of_worker
from kafkasniff.pipeline.writing import write_ended
from kafkasniff.tables.rows import Placed, item_rows
from kafkasniff.tcp.tls.context import TlsCounters
from kafkasniff.tcp.tls.key_log import KeyLog

HELD_BYTES = 8 << 20
"""Bytes of packets at the end of a capture that wait for its next file, in one bucket."""


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
        context = TaskContext.get()
        assert context is not None
        with task_of_worker():
            yield result_batch(said(partial(self._follow, context.partitionId()), Followed, batches))

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
                    self._take(part.vantage, open_capture.capture, batch)
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
        for number, held in enumerate(capture.held, first - len(capture.held)):
            self._interfaces[number] = [*held.interfaces]
            batch = merger.add(held.piece(number))
            if batch is not None:
                self._take(vantage, capture, batch)
        return _Open(capture, merger)

    def _end(self, vantage: str, open_capture: _Open) -> None:
        """Take the rest of the micro-batch's packets, and save what is to be carried."""
        task, capture, merger = self._task, open_capture.capture, open_capture.merger
        engine, bound = capture.engine, task.bounds[vantage]
        batch = merger.cut(bound)
        if batch is not None:
            self._take(vantage, capture, batch)
        held = merger.left(HELD_BYTES) if bound is not None else []
        if held is None:
            held = []
            if (batch := merger.cut(None)) is not None:
                self._take(vantage, capture, batch)
        capture.held = [HeldPackets.of(*each) for each in held]
        if bound is None:
            capture.packer.end = task.known.ends[vantage]
            self._write(capture, Ended(vantage, [*engine.flush(task.known.ends[vantage])], True))
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

    def _take(self, vantage: str, capture: Capture, batch: PacketBatch) -> None:
        """Feed packets, and write the rows of what ended with them."""
        self._write(capture, Ended(vantage, capture.engine.feed(batch), False))

    def _write(self, capture: Capture, ended: Ended) -> None:
        """Write the rows of what ended."""
        if self._task.only_learn or not ended.items:
            return
        vantage, _, at_end = ended
        write_ended(ended, self._task.options, self._writer, capture.packer, capture.names, self._rows)
        latest = self._followed.latest_events
        until = capture.packer.end if at_end else capture.packer.latest
        latest[vantage] = max(latest.get(vantage, 0), until)

    def _rows(self, vantage: str, item: Item, records: bool) -> Iterable[Placed]:
        """Give the rows of what ended, but for those that lack names: these wait."""
        if not isinstance(item, Call):
            return item_rows(vantage, item, records)
        names = MarkedNames(item.context.topics)
        item.context = replace(item.context, topics=names)
        rows = [*item_rows(vantage, item, records)]
        if not names.lacking:
            return rows
        self._unnamed += rows
        return ()

    def _interfaces_of(self, part: int) -> list[Interface]:
        found = self._interfaces.get(part)
        if found is None:
            number = self._task.first_part + part
            found = self._interfaces[part] = placed_interfaces(self._task.known.parts[part], number)
        return found
