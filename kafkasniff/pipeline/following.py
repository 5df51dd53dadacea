"""Follows directories that captures are written into: micro-batches of Spark's Structured Streaming.

A plan is written for each micro-batch, with the files that it reads; these plans are the stream that Spark reads.
What has been read is known from the state that is committed with the rows, and not from Spark's checkpoint.
"""

import os
import re
import threading
import time
from collections.abc import Callable

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow_state import CHECKPOINT_FOLDER, PLANS_FOLDER, Ledger, State
from kafkasniff.pipeline.job import reason_of
from kafkasniff.pipeline.micro_batch import Plan, run_micro_batch
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.watching import Watch
from kafkasniff.typed_json import from_json, to_json

_LOOK_S = 1.0
"""How often the directories are looked at."""
_TRIGGER = "500 milliseconds"
"""How often Spark looks for a plan."""

_SPECIAL = re.compile(r"([\\\[\]{}*?,])")

Told = Callable[[State, State, float], None]
"""Is told of each micro-batch: the states before and behind it, and the seconds that it took."""


class Following:
    """One run of the follower."""

    def __init__(
        self,
        session: SparkSession,
        ledger: Ledger,
        state: State | None,
        watch: Watch,
        options: Callable[[], Options],
        told: Told,
    ) -> None:
        """Go on from `state` (None: begin); `options` is asked before each micro-batch, for the key log may grow."""
        self._session = session
        self._ledger = ledger
        self.state = state or State(buckets=session.sparkContext.defaultParallelism)
        self._watch = watch
        self._options = options
        self._told = told
        self._plans = os.path.join(ledger.folder, PLANS_FOLDER)
        self._failure: Exception | None = None
        self._stopping = threading.Event()

    def run(self, finish: bool) -> None:
        """Follow until `stop`; with `finish`, take what is there for all, and end with it. Raises PipelineError."""
        try:
            plans = (
                self._session.readStream.format("text").option("maxFilesPerTrigger", "1").load(_as_pattern(self._plans))
            )
            query = (
                plans.writeStream.foreachBatch(self._take)
                .option("checkpointLocation", os.path.join(self._ledger.folder, CHECKPOINT_FOLDER))
                .trigger(processingTime=_TRIGGER)
                .start()
            )
            try:
                self._feed(query, finish)
            finally:
                query.stop()
        except PySparkException as error:
            raise PipelineError(reason_of(error)) from error
        except (Py4JError, OSError) as error:
            raise PipelineError(f"Spark has ended; the same command goes on where it was: {error}") from None

    def stop(self) -> None:
        """Let `run` end once the micro-batch at work is committed."""
        self._stopping.set()

    def _feed(self, query: StreamingQuery, finish: bool) -> None:
        """Write plans, one when the last is done."""
        planned = max((int(name) for name in os.listdir(self._plans) if name.isdecimal()), default=0)
        while not self.state.finished:
            if not query.isActive or self._failure is not None:
                self._fail(query)
            if planned <= self.state.batch:
                if self._stopping.is_set():
                    return
                if self._plan(finish):
                    planned = self.state.batch + 1
            self._stopping.wait(_LOOK_S if planned <= self.state.batch else _LOOK_S / 10)
            if self._stopping.is_set():
                time.sleep(_LOOK_S / 10)

    def _plan(self, finish: bool) -> bool:
        """Write the plan of the next micro-batch where there is something to read; tell whether there is."""
        sight = self._watch.find(self.state.files, everything=finish)
        inputs = [*sight.whole, *sight.lost]
        if not inputs and not finish:
            return False
        number = self.state.batch + 1
        last = finish and not sight.more
        plan = Plan(number, inputs, sight.gone, last)
        path = os.path.join(self._plans, f"{number:012d}")
        hidden = os.path.join(self._plans, f".{number:012d}")
        with open(hidden, "wb") as stream:
            stream.write(to_json(plan, Plan))
        os.replace(hidden, path)
        for name in os.listdir(self._plans):
            # Spark may ask for the last one again.
            if name.isdecimal() and int(name) < number - 1:
                os.unlink(os.path.join(self._plans, name))
        return True

    def _take(self, plans: DataFrame, _batch_id: int) -> None:
        """Do what the plans of a micro-batch say, but for those that were done before."""
        try:
            for row in plans.collect():
                plan: Plan = from_json(row.value.encode(), Plan)
                if plan.number <= self.state.batch:
                    continue
                began, before = time.monotonic(), self.state
                self.state = run_micro_batch(self._session, self._ledger, before, plan, self._options())
                self._told(before, self.state, time.monotonic() - began)
        except Exception as error:
            self._failure = error
            raise

    def _fail(self, query: StreamingQuery) -> None:
        failure = self._failure or query.exception()
        if isinstance(failure, PipelineError):
            raise failure
        if isinstance(failure, PySparkException):
            raise PipelineError(reason_of(failure)) from failure
        if failure is not None:
            raise failure
        raise PipelineError("Spark ended the stream; the same command goes on where it was")


def _as_pattern(path: str) -> str:
    """Give what Spark, which takes paths for patterns, takes for this path."""
    return _SPECIAL.sub(r"\\\1", path)
