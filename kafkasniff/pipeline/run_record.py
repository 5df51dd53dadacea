"""What a micro-batch did, and how long it took: said to Spark's web pages, and written beside the tables.

`DEST/_runs/RUN-NUMBER.json` has one object. Names that begin with `_` are no tables for Spark.
"""

import contextlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import SparkSession

from kafkasniff import __version__
from kafkasniff.compiled import is_compiled
from kafkasniff.pipeline.follow.ledger import Ledger
from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.pipeline.stages import stages_of

_MOST_REASONS = 100
"""Reasons of files that were not read which a record has."""


class Observer:
    """Is told how far a run or a follower is; this one takes no notice."""

    def begins(self, left: int) -> None:
        """Take note that a micro-batch begins, when so many bytes are still to be read, its own among them."""

    def step(self, name: str, size: int) -> None:
        """Take note that a step of a micro-batch of `size` bytes begins."""

    def done(self, record: Mapping[str, Any]) -> None:
        """Take note of what a micro-batch did: its record, as it is written beside the tables."""

    def again(self, why: str) -> None:
        """Take note that a follower reads all again."""


class RunRecord:
    """Takes the time of the steps of one micro-batch."""

    def __init__(
        self, session: SparkSession, ledger: Ledger, number: int, inputs: Sequence[Input], observer: Observer
    ) -> None:
        """Begin the micro-batch `number`, which reads `inputs`."""
        self._session = session
        self._ledger = ledger
        self._number = number
        self._inputs = inputs
        self._size = sum(each.size for each in inputs)
        self._observer = observer
        self._failed_before = _failed_tasks(session)
        self._began, self._began_at = datetime.now(UTC), time.monotonic()
        self._seconds: dict[str, float] = {}
        self._stages: list[dict[str, Any]] = []

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Take the time of a step, and name it on Spark's web pages with the files that are read."""
        context = self._session.sparkContext
        files = f"{len(self._inputs):,} files, {self._size / 1e6:,.1f} MB"
        description = f"kafkasniff {self._ledger.run_id}, {self._number}: {name} ({files})"
        group = f"{description} {self._began.isoformat()}"
        context.setJobGroup(group, description)
        self._observer.step(name, self._size)
        began = time.monotonic()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0) + time.monotonic() - began
            context._jsc.clearJobGroup()
        self._stages += stages_of(self._session, name, group)

    def write(self, before: State, after: State) -> None:
        """Write what came of it, behind its commit, and tell it. Raises PipelineError where it cannot be written."""
        seconds = time.monotonic() - self._began_at
        tables = self._ledger.tables
        rows_before, rows = before.counts(tables), after.counts(tables)
        record: dict[str, Any] = {
            "run": self._ledger.run_id,
            "number": self._number,
            "began": self._began.isoformat(),
            "ended": datetime.now(UTC).isoformat(),
            "seconds": round(seconds, 3),
            "steps": {name: round(spent, 3) for name, spent in self._seconds.items()},
            "stages": self._stages,
            "files": len(self._inputs),
            "bytes": self._size,
            "megabytes_per_second": round(self._size / 1e6 / seconds, 3),
            "packets": after.packets - before.packets,
            "rows_added": {table: rows[table] - rows_before[table] for table in tables},
            "rows": rows,
            "shown": after.shown,
            "unread": len(after.reasons()) + after.more_unread,
            "reasons": after.reasons()[:_MOST_REASONS],
            "failed_tasks": _failed_tasks(self._session) - self._failed_before,
            "versions": {
                "kafkasniff": __version__,
                "compiled": is_compiled(),
                "spark": self._session.version,
                "python": "{}.{}.{}".format(*sys.version_info),
            },
            "processors": self._session.sparkContext.defaultParallelism,
        }
        self._ledger.write_record(self._number, json.dumps(record, indent=1).encode() + b"\n")
        self._observer.done(record)


def _failed_tasks(session: SparkSession) -> int:
    """Give how many tasks failed since Spark started; each may have been tried again."""
    executors = session.sparkContext._jsc.sc().statusStore().executorList(False)
    return sum(executors.apply(number).failedTasks() for number in range(executors.size()))
