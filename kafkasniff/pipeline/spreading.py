"""Work that is spread over Spark's tasks, one thing to do in each, and what they say of it."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.tasks import Lost
from kafkasniff.typed_json import from_json, to_json

_TASKS = pa.schema([("place", pa.int32()), ("task", pa.binary())])


def spread(session: SparkSession, work: Sequence[object], kind: Any) -> DataFrame:
    """Give a frame with one thing to do, `kind`, in each partition."""
    return in_partitions(session, [to_json(each, kind) for each in work])


def in_partitions(session: SparkSession, work: Sequence[bytes]) -> DataFrame:
    """Give a frame with one thing to do, as JSON, in each partition."""
    table = pa.table([pa.array(range(len(work)), pa.int32()), pa.array(work, pa.binary())], schema=_TASKS)
    return session.createDataFrame(table).repartitionById(max(len(work), 1), "place")


def collected(frame: DataFrame, kind: Any) -> list[Any]:
    """Run tasks that give `tasks.RESULT`, and give what they say, `kind`. Raises PipelineError."""
    found = [from_json(row.result, kind | Lost) for row in frame.collect()]
    for each in found:
        if isinstance(each, Lost):
            raise PipelineError(each.outdated or "; ".join(each.reasons.values()), outdated=each.outdated is not None)
    return found
