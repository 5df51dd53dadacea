"""Follows directories that captures are written into: a loop that reads what is whole in micro-batches.

What has been read is known from the state that is committed with the rows.
"""

import threading
from collections.abc import Callable

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.ledger import Ledger
from kafkasniff.pipeline.follow.micro_batch import run_micro_batch
from kafkasniff.pipeline.follow.plan import Plan
from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.indexes.index import reason_of
from kafkasniff.pipeline.inputs.files import look_at
from kafkasniff.pipeline.inputs.watching import Sight, Watch
from kafkasniff.pipeline.loading import load, renew
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.run_record import Observer
from kafkasniff.tables.rings import without_compression

_LOOK_S = 1.0
"""How often the directories are looked at."""


class Following:
    """One run of the follower."""

    def __init__(
        self,
        session: SparkSession,
        ledger: Ledger,
        state: State | None,
        watch: Watch,
        options: Callable[[], Options],
        observer: Observer,
    ) -> None:
        """Go on from `state` (None: begin); `options` is asked before each micro-batch, for the key log may grow.

        Raises PipelineError where it cannot be told what was read before.
        """
        self._session = session
        self._ledger = ledger
        if state is None and ledger.shown():
            raise PipelineError(
                f"{ledger.path}: has rows of run {ledger.run_id}, but what was known of it is gone: remove the folders"
                f" run_id={ledger.run_id}, or choose another DEST"
            )
        self.state = state or State(buckets=session.sparkContext.defaultParallelism)
        self._watch = watch
        self._options = options
        self._observer = observer
        self.sight: Sight | None = None
        """What there was to read when the directories were last looked at; None before that."""
        self._stopping = threading.Event()

    def run(self, finish: bool) -> None:
        """Follow until `stop`; with `finish`, take what is there for all, and pause behind it. Raises PipelineError."""
        try:
            while not self._stopping.is_set():
                plan = self._plan(finish)
                if plan is None:
                    self._stopping.wait(_LOOK_S)
                    continue
                options = self._options()
                try:
                    self.state = run_micro_batch(self._session, self._ledger, self.state, plan, options, self._observer)
                except PipelineError as error:
                    if not error.outdated or plan.gone or not self.state.is_there:
                        raise
                    self._read_again(plan, options, error)
                if plan.pauses:
                    return
        except PySparkException as error:
            raise PipelineError(reason_of(error)) from error
        except (Py4JError, ConnectionError) as error:
            raise PipelineError(f"Spark has ended; the same command goes on where it was: {error}") from None

    def _read_again(self, plan: Plan, options: Options, error: PipelineError) -> None:
        """Read all that was read, and what the plan has, as a run does. Raises PipelineError."""
        self._observer.again(str(error))
        paths = self._watch.paths()
        names = {*self.state.files, *(without_compression(each.path) for each in plan.inputs)}
        inputs = [look_at(paths[name]) for name in sorted(names) if name in paths]
        self.state.secrets = b"\n".join(filter(None, (self.state.secrets, error.secrets)))
        begun = renew(self._ledger, self.state, inputs, str(error))
        self.state = load(self._session, self._ledger, begun, inputs, options, self._observer).state

    def stop(self) -> None:
        """Let `run` end once the micro-batch at work is committed."""
        self._stopping.set()

    def _plan(self, finish: bool) -> Plan | None:
        """Give what the next micro-batch reads; None where there is nothing."""
        sight = self.sight = self._watch.find(self.state.files, everything=finish)
        inputs = [*sight.whole, *sight.lost]
        if not inputs and not finish:
            return None
        return Plan(self.state.batch + 1, inputs, sight.gone, pauses=finish and not sight.more)
