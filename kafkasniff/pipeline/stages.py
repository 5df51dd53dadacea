"""What Spark's stages took, by its own counters."""

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import SparkSession

_COMPLETE = "COMPLETE"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the jobs of a step."""

    step: str
    tasks: int
    seconds: float
    """Of all its tasks together."""
    median_seconds: float
    """Of a task, as is the longest."""
    longest_seconds: float
    shuffled_bytes: int
    """What it wrote for the next one."""


def stages_of(session: SparkSession, step: str, group: str) -> list[dict[str, Any]]:
    """Give the stages that the jobs of a group ran, in their order, as far as Spark knows of them yet."""
    context = session.sparkContext
    scala = context._jsc.sc()
    with suppress(Py4JJavaError):
        # What tasks took comes behind what they give; ten seconds are waited for it.
        scala.listenerBus().waitUntilEmpty()
    tracker = context.statusTracker()
    jobs = (tracker.getJobInfo(number) for number in sorted(tracker.getJobIdsForGroup(group)))
    found: list[dict[str, Any]] = []
    for number in sorted({stage for job in jobs if job is not None for stage in job.stageIds}):
        with suppress(Py4JJavaError):
            stage = _stage(context, step, number)
            found += [] if stage is None else [asdict(stage)]
    return found


def _stage(context: SparkContext, step: str, number: int) -> Stage | None:
    """Give a stage that was run. Raises Py4JJavaError where Spark does not know it."""
    gateway, store = context._gateway, context._jsc.sc().statusStore()
    assert gateway is not None
    quantiles = gateway.new_array(gateway.jvm.double, 2)
    quantiles[0], quantiles[1] = 0.5, 1.0
    stage = store.lastStageAttempt(number)
    summary = store.taskSummary(number, stage.attemptId(), quantiles)
    if str(stage.status()) != _COMPLETE or summary.isEmpty():
        return None  # Its rows were there already.
    median, longest = (summary.get().executorRunTime().apply(place) / 1000 for place in range(2))
    return Stage(step, stage.numTasks(), stage.executorRunTime() / 1000, median, longest, stage.shuffleWriteBytes())
