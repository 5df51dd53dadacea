"""A line on standard error that says how far a run of the pipeline is."""

import sys
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from pyspark.sql import SparkSession

from kafkasniff.cli.terminal.progress import PROGRESS_SECONDS, share_text
from kafkasniff.pipeline.run_record import Observer
from kafkasniff.render.terminal import message_width
from kafkasniff.render.words import shorten

SHARES = {"index": 0.2, "calls": 0.5, "names of topics": 0.05, "findings": 0.25}
"""Which part of a micro-batch's time a step takes, about: `_runs/*.json` of 1 GB of the herd of `benchmarks.herd`."""


class SparkProgress(Observer):
    """Draws the line from beginning to end of a `with` block, where standard error is a terminal."""

    def __init__(self, session: SparkSession, told: Callable[[Mapping[str, Any]], None] | None = None) -> None:
        """Ask `session` how many tasks are done; `told` takes the record of each micro-batch."""
        self._told = told
        self._tracker = session.sparkContext.statusTracker()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True) if sys.stderr.isatty() else None
        self._began = time.monotonic()
        self._read = self._left = 0
        self._step, self._size = "", 0

    def __enter__(self) -> "SparkProgress":
        """Begin to draw."""
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the line away."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def begins(self, left: int) -> None:
        """Count on so many bytes, beside those that were read."""
        self._left = left

    def step(self, name: str, size: int) -> None:
        """Show the step."""
        self._step, self._size = name, size

    def done(self, record: Mapping[str, Any]) -> None:
        """Count the bytes of the micro-batch as read."""
        if self._told is not None:
            self._told(record)
        self._read, self._left = self._read + self._size, self._left - self._size
        self._step, self._size = "", 0

    def text(self, done_tasks: int, tasks: int, seconds: float) -> str:
        """Give the line, when so many tasks of the step at work are done."""
        before = 0.0
        for name, share in SHARES.items():
            if name == self._step:
                before += share * done_tasks / max(tasks, 1)
                break
            before += share
        part = share_text(round(self._read + self._size * min(before, 1)), self._read + self._left, seconds)
        step = f"{self._step}, {done_tasks:,} of {tasks:,} tasks" if self._step else ""
        return ": ".join(filter(None, (part, step)))

    def _draw(self) -> None:
        while not self._ended.wait(PROGRESS_SECONDS):
            stages = [self._tracker.getStageInfo(number) for number in self._tracker.getActiveStageIds()]
            done = sum(stage.numCompletedTasks for stage in stages if stage is not None)
            tasks = sum(stage.numTasks for stage in stages if stage is not None)
            text = shorten(self.text(done, tasks, time.monotonic() - self._began), (message_width() or 80) - 1)
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()
