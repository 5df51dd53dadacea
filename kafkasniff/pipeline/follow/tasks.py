"""What Spark's workers run for a follower: a micro-batch of files through engines that go on where they were."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

import pyarrow as pa
from pyspark import TaskContext

from kafkasniff.calls.enrichment.topics import TopicNames
from kafkasniff.capture.packets import Interface, PacketBatch
from kafkasniff.pipeline.findings.clocks import Times, fewest
from kafkasniff.pipeline.findings.clusters import ClusterNames
from kafkasniff.pipeline.findings.events import EventPacker
from kafkasniff.pipeline.follow.carry import Capture, HeldPackets, Saved, Saver, load
from kafkasniff.pipeline.indexes.merging import Merger, PacketFiles
from kafkasniff.pipeline.indexes.pieces import pieces_of
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows.output import Written
from kafkasniff.pipeline.rows.reassembly import Ended, Known, add_up, new_engine, placed_interfaces
from kafkasniff.pipeline.rows.writing import RowOutput
from kafkasniff.pipeline.tasks import Learned, result_batch, said, task_of_worker
from kafkasniff.tcp.tls.context import TlsCounters
from kafkasniff.tcp.tls.key_log import KeyLog

HELD_BYTES = 8 << 20
"""Bytes of packets at the end of a capture that wait for its next file, in one bucket."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What is carried of one capture in one bucket."""

    saved: Saved | None
    """The `Capture`; None where nothing is to be carried."""
    parts: frozenset[int] = frozenset()
    """Those whose interfaces it knows."""
    notes: tuple[str, ...] = ()
    """What could not be read so far and which limits were reached, in sentences."""
    tls_counters: TlsCounters = field(default_factory=TlsCounters)
    unopened: frozenset[bytes] = frozenset()
    """Client randoms of TLS connections without secrets."""
    loads: dict[int, int] = field(default_factory=dict)
    """How many events it brought so far, as `EventPacker` counts them."""


def together(first: Carried, second: Carried) -> Carried:
    """Give what is to be known of captures that have ended, without what was carried of them."""
    counts: Counter[str] = Counter()
    tls_counters = TlsCounters()
    for each in (first, second):
        add_up(tls_counters, each.tls_counters)
        for note in each.notes:
            text, _, count = note.rpartition(": ")
            counts[text] += int(count.replace(",", ""))
    return Carried(None, notes=tuple(f"{text}: {count:,}" for text, count in counts.items()), tls_counters=tls_counters)


@dataclass(slots=True)
class Followed:
    """What one task wrote in a micro-batch, and what it learned."""

    bucket: int
    files: list[Written] = field(default_factory=list)
    ending: list[Written] = field(default_factory=list)
    """What is written for captures that seem to end."""
    carried: dict[str, Carried] = field(default_factory=dict)
    """By vantage."""
    cluster_names: dict[str, set[str]] = field(default_factory=dict)
    """By vantage, what `clusters_of` takes."""
    calls: dict[str, dict[int, Times]] = field(default_factory=dict)
    """By vantage, what `shifts_of` takes."""
    latest_events: dict[str, int] = field(default_factory=dict)
    """By vantage, the time of the last event."""
    unnamed: list[Saved] = field(default_factory=list)
    """Where rows are saved that lack names."""
    ending_unnamed: list[Saved] = field(default_factory=list)
    """The same of captures that seem to end."""
    learned: Learned = field(default_factory=lambda: Learned({}, {}))


@dataclass(frozen=True, slots=True)
class FollowTask:
    """Takes the packets of one bucket, and writes the rows of what ended."""

    known: Known
    """Its parts are those of the micro-batch."""
    first_part: int
    """Number of the first of them in the run."""
    bounds: Mapping[str, int]
    """By vantage of which packets came, up to where in time they are taken."""
    ending: frozenset[str]
    """Vantages of which all is written as if they ended here, though they are carried on."""
    closing: frozenset[str]
    """Vantages that do end here, of which nothing is carried."""
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
        records = task.options.records
        self._output = RowOutput(task.work, f"part-{bucket:05d}", records)
        self._ending = RowOutput(task.work, f"ending-{bucket:05d}", records)
        self._saver = Saver(task.work)
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
        for vantage in self._task.ending.union(self._task.bounds):
            if vantage not in done and self._carried(vantage) is not None:
                self._end(vantage, self._open(vantage))
        self._files.close()
        followed = self._followed
        if not self._task.only_learn:
            followed.files, followed.unnamed = self._output.close(), self._output.unnamed
            followed.ending, followed.ending_unnamed = self._ending.close(), self._ending.unnamed
            self._saver.close()
        return followed

    def _carried(self, vantage: str) -> Saved | None:
        carried = self._task.carried.get((self._bucket, vantage))
        return None if carried is None else carried.saved

    def _open(self, vantage: str) -> _Open:
        """Take up a capture where it was left, or begin it."""
        known, saved = self._task.known, self._carried(vantage)
        merger = Merger(self._files, self._interfaces_of)
        if saved is None:
            topics = TopicNames()
            capture = Capture(
                new_engine(known, topics), topics, EventPacker(vantage, self._bucket, 0), ClusterNames(), []
            )
        else:
            capture = load(self._task.work, saved)
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
                self._take(vantage, capture, batch, None if vantage in self._task.bounds else self._ending)
        return _Open(capture, merger)

    def _end(self, vantage: str, open_capture: _Open) -> None:
        """Take the rest of the micro-batch's packets, save what is to be carried, and write what seems to end."""
        task, capture, merger = self._task, open_capture.capture, open_capture.merger
        bound = task.bounds.get(vantage)
        closes = vantage in task.closing
        if closes:
            capture.packer.end = task.known.ends[vantage]
            self._take(vantage, capture, merger.cut(None))
            self._write(capture, Ended(vantage, [*capture.engine.flush(capture.packer.end)], True), self._output)
        elif bound is not None:
            self._take(vantage, capture, merger.cut(bound))
            held = merger.left(HELD_BYTES)
            if held is None:
                held = []
                self._take(vantage, capture, merger.cut(None))
            capture.held = [HeldPackets.of(*each) for each in held]
        saved, parts = None, set[int]()
        if bound is not None and not closes and not task.only_learn:
            # Read anew each time.
            key_log, capture.engine.tls.key_log = capture.engine.tls.key_log, KeyLog()
            saved, parts = self._saver.save(capture)
            capture.engine.tls.key_log = key_log
        before = task.carried.get((self._bucket, vantage))
        if bound is None and before is not None:
            saved, parts = before.saved, set(before.parts)
        learned = self._followed.learned
        if vantage in task.ending:
            capture.packer.end = task.known.ends[vantage]
            self._take(vantage, capture, merger.cut(None), self._ending)
            self._write(capture, Ended(vantage, [*capture.engine.flush(capture.packer.end)], True), self._ending)
        learned.topics.update(capture.topics.known())
        learned.tls_sessions.update(capture.engine.tls.sessions())
        if task.only_learn:
            return
        notes = tuple(capture.engine.notes())
        self._followed.carried[vantage] = Carried(
            saved,
            frozenset(parts),
            notes,
            capture.engine.tls.counters,
            frozenset(capture.engine.tls.unopened),
            capture.packer.loads,
        )
        self._followed.cluster_names[vantage] = capture.names.names
        self._followed.calls[vantage] = fewest(capture.names.shared.times)

    def _take(self, vantage: str, capture: Capture, batch: PacketBatch | None, output: RowOutput | None = None) -> None:
        """Feed packets, and write the rows of what ended with them."""
        if batch is not None:
            self._write(capture, Ended(vantage, capture.engine.feed(batch), False), output or self._output)

    def _write(self, capture: Capture, ended: Ended, output: RowOutput) -> None:
        """Write the rows of what ended."""
        if self._task.only_learn or not ended.items:
            return
        vantage = ended.vantage
        output.write(ended, self._task.options, capture.packer, capture.names)
        if output is self._output:
            latest = self._followed.latest_events
            latest[vantage] = max(latest.get(vantage, 0), capture.packer.latest, capture.packer.end * ended.at_end)

    def _interfaces_of(self, part: int) -> list[Interface]:
        found = self._interfaces.get(part)
        if found is None:
            number = self._task.first_part + part
            found = self._interfaces[part] = placed_interfaces(self._task.known.parts[part], number)
        return found
