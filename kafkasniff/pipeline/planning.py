"""What a run would do, told without Spark."""

from collections.abc import Sequence
from typing import NamedTuple

from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.indexes.index import bucket_count, packs
from kafkasniff.pipeline.indexes.ranges import split
from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.pipeline.inputs.watching import first_of
from kafkasniff.pipeline.loading import most_bytes, new_inputs
from kafkasniff.pipeline.options import Options


class OfRing(NamedTuple):
    """Files of one rotated capture that would be read."""

    ring: str
    files: int
    size: int
    """Bytes."""
    first_time: int | None
    """Nanoseconds since 1970 of their first packet; None where no file has one."""


class RunPlan(NamedTuple):
    """What a run would do."""

    files: int
    """All that were found."""
    new: list[OfRing]
    size: int
    """Bytes that would be read."""
    unread: list[str]
    """Why files cannot be read."""
    changed: str | None
    """Why all would be read again; None where it would not."""
    steps: int
    """How often so many bytes would be read as are read at a time."""
    index_tasks: int
    """Of all steps together."""
    buckets: int
    """Tasks that connections are shared among, in each step."""


def plan_run(inputs: Sequence[Input], state: State | None, options: Options, parallel: int) -> RunPlan:
    """Tell what a run that goes on from `state` (None: begins) would do with `parallel` tasks at once."""
    changed = None
    new = list(inputs)
    if state is not None:
        found = new_inputs(inputs, state, options.key_log)
        changed = found.changed
        if changed is None:
            new = found.inputs
    most = most_bytes(parallel)
    steps, index_tasks = 0, 0
    rest = new
    while batch := first_of(rest, most):
        ranges = split(batch, options.range_bytes, frozenset())
        sizes = sorted((batch[each.file].size for each in ranges), reverse=True)
        steps += 1
        index_tasks += max(packs(sizes, parallel), default=-1) + 1
        taken = {each.path for each in batch}
        rest = [each for each in rest if each.path not in taken]
    rings: dict[str, list[Input]] = {}
    for each in new:
        if each.reason is None:
            rings.setdefault(each.ring, []).append(each)
    size = sum(each.size for each in new)
    buckets = bucket_count(min(size, most), parallel) if state is None or changed is not None else state.buckets
    return RunPlan(
        len(inputs),
        [_of_ring(ring, files) for ring, files in rings.items()],
        size,
        [each.reason for each in new if each.reason is not None],
        changed,
        steps,
        index_tasks,
        buckets,
    )


def _of_ring(ring: str, files: Sequence[Input]) -> OfRing:
    times = [each.first_time for each in files if each.first_time is not None]
    return OfRing(ring, len(files), sum(each.size for each in files), min(times, default=None))
