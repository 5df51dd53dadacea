"""The job: index the files, learn what calls tell of others, write the tables, commit."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.engine import joined, limits_text
from kafkasniff.diagnose.finding import Finding, findings_from_json
from kafkasniff.pipeline import tasks
from kafkasniff.pipeline.clusters import clusters_of
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.event_spans import SPANS
from kafkasniff.pipeline.indexing import FileReport, IndexTask
from kafkasniff.pipeline.inputs import Input, leave_out
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.output import Destination, TableWriter, Written
from kafkasniff.pipeline.pieces import ORDER, REPORT, SCHEMA
from kafkasniff.pipeline.ranges import Range, split
from kafkasniff.pipeline.reassembly import Known, Part, add_up
from kafkasniff.pipeline.reports import doubtful_files, row_of_file, whole_reports
from kafkasniff.pipeline.shares import Share, shares_of
from kafkasniff.pipeline.vantages import vantages_of
from kafkasniff.render.finding_rows import finding_rows
from kafkasniff.tables.declared import EVENT_ORDER, EVENTS
from kafkasniff.tcp.tls.context import TlsContext
from kafkasniff.tcp.tls.key_log import KeyLog
from kafkasniff.typed_json import from_json, to_json

BUCKET_BYTES = 128 << 20
"""Bytes of captures that a bucket holds, about: a task's memory does not grow with it, but its time."""

MOST_ROUNDS = 4
"""How often a TLS session is looked for that a connection resumed, which itself had resumed another."""

_EXCEPTION = re.compile(r"[\w.]+(Error|Exception|Interrupt|Exit)\b")
"""Where a line of a trace says what was raised."""

_DAY_NS = 86_400_000_000_000


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
    more_unread: int = 0
    """How many others there are."""
    notes: list[str] = field(default_factory=list)
    """What could not be read and which limits were reached, in sentences."""


class Index:
    """The places of all packets, shuffled by connection and held on disk until `close`."""

    def __init__(self, session: SparkSession, inputs: Sequence[Input], options: Options) -> None:
        """Index `inputs`. Raises PySparkException where Spark gives up."""
        self.buckets = options.buckets or bucket_count(session, inputs)
        self.inputs = inputs
        self._session = session
        self._options = options
        self._read(frozenset())
        if doubtful := doubtful_files(self._ranges, self._part_reports):
            self.close()
            self._read(doubtful)
        self.reports = whole_reports(self._ranges, self._part_reports)
        self.vantages = vantages_of(inputs, self.reports)

    def _read(self, whole: frozenset[int]) -> None:
        """Index all files, those in `whole` each by one task."""
        self._ranges = split(self.inputs, self._options.range_bytes, whole)
        frame = _index(self._session, self.inputs, self._ranges, self._options, self.buckets)
        self.frame = frame.persist(StorageLevel.DISK_ONLY)
        rows = self.frame.filter(col("packets") == REPORT).select("columns").collect()
        reports: list[FileReport] = [from_json(row.columns, FileReport) for row in rows]
        self._part_reports = sorted(reports, key=lambda report: report.part)

    def parts(self) -> list[Part]:
        """Give the ranges of the files."""
        parts: list[Part] = []
        before = 0
        for each, report in zip(self._ranges, self._part_reports, strict=True):
            source = self.inputs[each.file]
            before = before if each.start else 0
            parts.append(Part(source.path, source.head, self.vantages[each.file], report.interfaces, before))
            before += report.packets
        return parts

    def known(self, learn: bool = True) -> Known:
        """Give what all buckets know before they begin, with what they learn from each other if it is to be learnt."""
        key_log = b"\n".join([self._options.key_log, *(report.secrets for report in self.reports)])
        ends: Counter[str] = Counter()
        for vantage, report in zip(self.vantages, self.reports, strict=True):
            ends[vantage] = max(ends[vantage], report.last_time or 0)
        known = Known(self.parts(), key_log, records=self._options.records, ends=dict(ends), learned=learn)
        if not learn:
            return known
        for _ in range(MOST_ROUNDS):
            learned: list[tasks.Learned] = self.map(tasks.LearnTask(known), tasks.Learned)
            topics = {topic_id: name for each in learned for topic_id, name in each.topics.items()}
            sessions = {name: master for each in learned for name, master in each.tls_sessions.items()}
            done = sessions.keys() == known.tls_sessions.keys()
            known = replace(known, topics=topics, tls_sessions=sessions)
            if done:
                break
        return known

    def map(self, task: Any, kind: Any) -> list[Any]:
        """Run a task over every bucket; give the results, `kind`. Raises PipelineError where files were lost."""
        rows = self.frame.mapInArrow(task, from_arrow_schema(tasks.RESULT)).collect()
        found = [from_json(row.result, kind | tasks.Lost) for row in rows]
        losses = [each.reasons for each in found if isinstance(each, tasks.Lost)]
        lost = {self._ranges[part].file: reason for reasons in losses for part, reason in reasons.items()}
        if lost:
            raise PipelineError("; ".join(lost.values()), lost)
        return found

    def close(self) -> None:
        """Let go of the index."""
        self.frame.unpersist()


def run(
    session: SparkSession,
    inputs: Sequence[Input],
    destination: Destination,
    options: Options,
    resume: bool = False,
) -> Outcome:
    """Write the tables of `inputs`; with `resume`, go on with what a killed run left.

    Raises PipelineError, after which nothing was added.
    """
    done = destination.finished()
    if done is not None:
        return Outcome(done, added=False)
    try:
        while True:
            destination.begin(resume)
            index = Index(session, inputs, options)
            try:
                return _write(session, index, destination, options)
            except PipelineError as error:
                if not error.lost:
                    raise
                # What other tasks wrote may hold calls of the lost files.
                inputs, resume = leave_out(inputs, error.lost), False
            finally:
                index.close()
    except PySparkException as error:
        destination.abandon()
        raise PipelineError(reason_of(error)) from error
    except PipelineError:
        destination.abandon()
        raise


def _write(session: SparkSession, index: Index, destination: Destination, options: Options) -> Outcome:
    reports = index.reports
    # That takes as long as to make the calls: where nothing seems to need it, whoever makes the rows looks after it.
    seems_needed = options.records or any(report.mentions_ids for report in reports)
    known = index.known(learn=seems_needed)
    wrote: list[tasks.Wrote] = index.map(
        tasks.WriteTask(known, destination.staging, options, index.buckets), tasks.Wrote
    )
    if any(each.needs_learning for each in wrote):
        known = index.known()
        wrote = index.map(tasks.WriteTask(known, destination.staging, options, index.buckets), tasks.Wrote)
    first_time = min((report.first_time for report in reports if report.first_time is not None), default=0)
    found = _diagnose(session, wrote, known, destination)
    written = [file for each in wrote for file in each.files if file.table != EVENTS.name] + found.files
    written += _write_files(index, destination, first_time)
    tables = [
        "calls",
        "errors",
        "batches",
        "connections",
        "findings",
        "files",
        *(["records"] if options.records else []),
    ]
    rows = destination.commit(written, tables, first_time // _DAY_NS)
    return Outcome(
        rows,
        packets=sum(report.packets for report in reports),
        unread=[report.reason for report in reports if report.reason is not None],
        notes=[*_notes(known, wrote), *found.notes],
    )


def _diagnose(
    session: SparkSession, wrote: Sequence[tasks.Wrote], known: Known, destination: Destination
) -> tasks.Wrote:
    """Run the rules over the events of each cluster, and write what they find."""
    files = [file for each in wrote for file in each.files if file.table == EVENTS.name]
    names: defaultdict[str, set[str]] = defaultdict(set)
    events_of: Counter[str] = Counter()
    for each in wrote:
        events_of.update(each.events)
        for vantage, of_vantage in each.cluster_names.items():
            names[vantage] |= of_vantage
    if not files:
        return tasks.Wrote([], [])
    clusters = clusters_of(names)
    shares = shares_of(clusters, events_of, session.sparkContext.defaultParallelism)
    numbers = {vantage: number for number, vantages in enumerate(clusters) for vantage in vantages}
    paths = pa.array([os.path.join(destination.staging, file.path) for file in files])
    table = pa.table({"place": pa.array(range(len(paths)), pa.int32()), "path": paths})
    # Spark's own reader would take a bracket in a path for a pattern.
    read = session.createDataFrame(table).repartitionById(len(paths), "place")
    events = read.mapInArrow(tasks.ReadEventsTask(numbers, shares), from_arrow_schema(SPANS))
    spread = events.repartitionById(len(shares), "task").sortWithinPartitions(*EVENT_ORDER)
    task = tasks.DiagnoseTask(known.parts, shares, destination.staging)
    rows = spread.mapInArrow(task, from_arrow_schema(tasks.RESULT)).collect()
    return _write_findings(destination, clusters, shares, [from_json(row.result, tasks.Diagnosed) for row in rows])


def _write_findings(
    destination: Destination, clusters: Sequence[list[str]], shares: Sequence[Share], found: Sequence[tasks.Diagnosed]
) -> tasks.Wrote:
    """Write the findings on each cluster, those that others explain under these."""
    writer = TableWriter(destination.staging, "findings")
    notes: list[str] = []
    of_clusters: defaultdict[int, list[tasks.Diagnosed]] = defaultdict(list)
    for each in found:
        of_clusters[shares[each.task].cluster].append(each)
    for number, of_cluster in of_clusters.items():
        findings: defaultdict[str, list[Finding]] = defaultdict(list)
        given_up: Counter[str] = Counter()
        for each in of_cluster:
            given_up.update(each.given_up)
            notes += each.failures
            for rule, of_rule in _findings(each.path).items():
                findings[rule] += of_rule
        writer.add(finding_rows(clusters[number], joined(findings[rule.id] for rule in RULES)))
        notes += limits_text(given_up)
    return tasks.Wrote(writer.close(), notes)


def _findings(path: str) -> dict[str, list[Finding]]:
    """Read what rules found in one share of a cluster's events. Raises PipelineError."""
    try:
        return findings_from_json(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise PipelineError(f"{path}: cannot be read: {error}") from None


def _write_files(index: Index, destination: Destination, first_time: int) -> list[Written]:
    """Write the table `files`; one that has no packet stands at the time of the first of all."""
    writer = TableWriter(destination.staging, "files")
    for each, vantage, report in zip(index.inputs, index.vantages, index.reports, strict=True):
        time = first_time if report.first_time is None else report.first_time
        writer.add([("files", time, row_of_file(vantage, each, report))])
    return writer.close()


def _notes(known: Known, wrote: Sequence[tasks.Wrote]) -> list[str]:
    """Give the notes of all tasks as one engine would give them."""
    counts: Counter[str] = Counter()
    tls = TlsContext(KeyLog())
    tls.key_log.add(known.key_log)
    for each in wrote:
        add_up(tls.counters, each.tls_counters)
        for note in each.notes:
            text, _, count = note.rpartition(": ")
            counts[text] += int(count.replace(",", ""))
    return [*(f"{text}: {count:,}" for text, count in counts.items()), *tls.notes()]


def bucket_count(session: SparkSession, inputs: Sequence[Input]) -> int:
    """Give how many buckets suit the files: of about `BUCKET_BYTES`, and enough for all processors."""
    by_size = -(-sum(each.size for each in inputs) // BUCKET_BYTES)
    parallel: int = session.sparkContext.defaultParallelism
    return max(by_size, parallel)


def _index(
    session: SparkSession, inputs: Sequence[Input], ranges: Sequence[Range], options: Options, buckets: int
) -> DataFrame:
    """Give the rows of `pieces.SCHEMA`, sorted within buckets."""
    rings = {ring: number for number, ring in enumerate(dict.fromkeys(each.ring for each in inputs))}
    # The largest first, so that no large file is left when the others are done.
    order = sorted(range(len(ranges)), key=lambda part: -inputs[ranges[part].file].size)
    work: list[IndexTask | FileReport] = []
    for part in order:
        source = inputs[ranges[part].file]
        if source.reason is not None:
            work.append(FileReport(part, reason=source.reason))
        else:
            payload = options.payload or source.compressed
            ring = rings[source.ring]
            task = IndexTask(part, ring, source.path, buckets, payload, options.chunk_bytes, ranges[part])
            work.append(replace(task, skipped=source.skipped))
    places = pa.array(range(len(work)), pa.int32())
    table = pa.table({"place": places, "task": pa.array([to_json(each, tasks.WORK) for each in work], pa.binary())})
    spread = session.createDataFrame(table).repartitionById(max(len(work), 1), "place")
    indexed = spread.mapInArrow(tasks.index, from_arrow_schema(SCHEMA))
    return indexed.repartitionById(buckets, "bucket").sortWithinPartitions(*ORDER)


def reason_of(error: PySparkException) -> str:
    """Give what a task said, without the traces around it."""
    text = str(error)
    for line in reversed(text.splitlines()):
        _, found, message = line.partition("PipelineError: ")
        if found:
            return message
    said = [line for line in text.splitlines() if _EXCEPTION.match(line)]
    return f"Spark gave up: {said[-1] if said else text.strip().splitlines()[0]}"
