"""The index of files: the places of all packets, shuffled by connection."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from kafkasniff.pipeline import tasks
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.indexes.indexing import FileReport, IndexTask, Interfaces
from kafkasniff.pipeline.indexes.pieces import ORDER, REPORT, SCHEMA
from kafkasniff.pipeline.indexes.ranges import Range, split
from kafkasniff.pipeline.indexes.reports import doubtful_files, whole_reports
from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.rows.reassembly import Part
from kafkasniff.pipeline.spreading import in_partitions
from kafkasniff.typed_json import from_json, to_json

BUCKET_BYTES = 256 << 20
"""Bytes of captures that a bucket holds, about: each costs files of its own, and with few one may be far longer."""

MOST_ROUNDS = 4
"""How often a TLS session is looked for that a connection resumed, which itself had resumed another."""

_EXCEPTION = re.compile(r"[\w.]+(Error|Exception|Interrupt|Exit)\b")
"""Where a line of a trace says what was raised."""

_TASK_BYTES = 128 << 20
_OPENING_BYTES = 1 << 20
"""A task indexes files of so many bytes together at most, and to open one counts as much as to read this many."""


class Index:
    """The places of all packets, shuffled by connection and held on disk until `close`."""

    def __init__(self, session: SparkSession, inputs: Sequence[Input], options: Options) -> None:
        """Index `inputs`. Raises PySparkException where Spark gives up."""
        assert options.buckets is not None
        self.buckets = options.buckets
        self.inputs = inputs
        self._session = session
        self._options = options
        self._read(frozenset())
        if doubtful := doubtful_files(self._ranges, self._part_reports):
            self.close()
            self._read(doubtful)
        self.reports = whole_reports(self._ranges, self._part_reports)
        self.vantages = [each.ring for each in inputs]

    def _read(self, whole: frozenset[int]) -> None:
        """Index all files, those in `whole` each by one task."""
        self._ranges = split(self.inputs, self._options.range_bytes, whole)
        frame = _index(self._session, self.inputs, self._ranges, self._options, self.buckets)
        self.frame = frame.persist(StorageLevel.DISK_ONLY)
        rows = self.frame.filter(col("packets") == REPORT).select("columns").toArrow()
        self._part_reports: list[FileReport] = [from_json(row.as_py(), FileReport) for row in rows.column("columns")]
        self._part_reports.sort(key=lambda report: report.part)
        # Files of one capture have the same, and may be many.
        known: dict[tuple[object, ...], Interfaces] = {}
        for report in self._part_reports:
            report.interfaces = known.setdefault(tuple(report.interfaces), report.interfaces)

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

    def with_packets(self) -> list[int]:
        """Give the indices of the parts that have packets."""
        return [number for number, report in enumerate(self._part_reports) if report.packets]

    def map(self, task: Any, kind: Any) -> list[Any]:
        """Run a task over every bucket; give the results, `kind`. Raises PipelineError where files were lost."""
        rows = self.frame.mapInArrow(task, from_arrow_schema(tasks.RESULT)).collect()
        found = [from_json(row.result, kind | tasks.Lost) for row in rows]
        for each in found:
            if isinstance(each, tasks.Lost) and each.outdated is not None:
                raise PipelineError(each.outdated, outdated=True)
        losses = [each.reasons for each in found if isinstance(each, tasks.Lost)]
        lost = {self._ranges[part].file: reason for reasons in losses for part, reason in reasons.items()}
        if lost:
            raise PipelineError("; ".join(lost.values()), lost)
        return found

    def close(self) -> None:
        """Let go of the index."""
        self.frame.unpersist()


def bucket_count(size: int, parallel: int) -> int:
    """Give how many buckets suit files of so many bytes: of about `BUCKET_BYTES`, and enough for all processors."""
    return max(-(-size // BUCKET_BYTES), parallel)


def packs(sizes: Sequence[int], parallel: int) -> list[int]:
    """Give for each file, by their sizes from the largest on, the number of the task that indexes it.

    As Spark packs the files of its own sources (FilePartition.scala): small ones together, by their bytes.
    """
    costs = [size + _OPENING_BYTES for size in sizes]
    most = min(_TASK_BYTES, max(_OPENING_BYTES, sum(costs) // parallel))
    numbers: list[int] = []
    number, filled = -1, most
    for cost in costs:
        if filled + cost > most:
            number, filled = number + 1, 0
        filled += cost
        numbers.append(number)
    return numbers


def _index(
    session: SparkSession, inputs: Sequence[Input], ranges: Sequence[Range], options: Options, buckets: int
) -> DataFrame:
    """Give the rows of `pieces.SCHEMA`, sorted within buckets."""
    rings = {ring: number for number, ring in enumerate(dict.fromkeys(each.ring for each in inputs))}
    # The largest first, so that no large file is left when the others are done.
    order = sorted(range(len(ranges)), key=lambda part: -inputs[ranges[part].file].size)
    sizes = [inputs[ranges[part].file].size for part in order]
    numbers = packs(sizes, session.sparkContext.defaultParallelism)

    def work_of(part: int) -> IndexTask | FileReport:
        source = inputs[ranges[part].file]
        if source.reason is not None:
            return FileReport(part, reason=source.reason)
        payload, ring = options.payload or source.compressed, rings[source.ring]
        task = IndexTask(part, ring, source.path, buckets, payload, options.chunk_bytes, ranges[part])
        return replace(task, skipped=source.skipped)

    together = groupby(zip(numbers, order, strict=True), key=lambda each: each[0])
    work = [to_json([work_of(part) for _, part in each], list[tasks.WORK]) for _, each in together]
    spread = in_partitions(session, work)
    indexed = spread.mapInArrow(tasks.index, from_arrow_schema(SCHEMA))
    return indexed.repartitionById(buckets, "bucket").sortWithinPartitions(*ORDER)


def reason_of(error: PySparkException | str) -> str:
    """Give what a task said, without the traces around it."""
    text = str(error)
    for line in reversed(text.splitlines()):
        _, found, message = line.partition("PipelineError: ")
        if found:
            return message
    said = [line for line in text.splitlines() if _EXCEPTION.match(line)]
    return f"Spark gave up: {said[-1] if said else text.strip().splitlines()[0]}"
