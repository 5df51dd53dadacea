"""A run over all that is there: it reads what is new, goes on where earlier runs were, and writes nothing twice.

Behind it the tables are those of one run over all files that were ever read.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.ledger import Ledger
from kafkasniff.pipeline.follow.micro_batch import LATE_SECRETS, run_micro_batch
from kafkasniff.pipeline.follow.plan import Plan
from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.indexes.index import bucket_count
from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.pipeline.inputs.places import open_at_random
from kafkasniff.pipeline.inputs.watching import MOST_BYTES, first_of
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.run_record import Observer
from kafkasniff.tables.declared import FILES
from kafkasniff.tables.rings import without_compression
from kafkasniff.wording import file_name

_BYTES_A_TASK = 512 << 20
"""Of captures, for each task that runs at once: what a run reads at a time on many processors."""


class New(NamedTuple):
    """What there is to read."""

    inputs: list[Input]
    changed: str | None
    """Why it does not do to read these alone; None where it does."""


class Loaded(NamedTuple):
    """What a run did."""

    state: State
    renewed: str | None = None
    """Why all was read again; None where it was not."""


def most_bytes(parallel: int) -> int:
    """Give how many bytes a run reads at a time where `parallel` tasks run at once."""
    return max(MOST_BYTES, _BYTES_A_TASK * parallel)


def new_inputs(inputs: Sequence[Input], state: State, key_log: bytes) -> New:
    """Give the files that were not read yet, and the rest of those that went on."""
    found: list[Input] = []
    changed = LATE_SECRETS if not state.renewed and state.opened_by(key_log) else None
    for each in inputs:
        before = state.files.get(without_compression(each.path))
        if before is None:
            found.append(each)
            continue
        if before.path != each.path:
            # Compressed since, or the other way round.
            same = before.first_time == each.first_time
        else:
            # Whoever copies or touches a file changes its time alone.
            same = (before.size, before.head) == (each.size, each.head)
        if same:
            continue
        latest = state.latest_files.get(before.vantage)
        went_on = before.path == each.path and each.size > before.size and each.head.startswith(before.head)
        if went_on and latest is not None and latest.source.path == each.path:
            found.append(replace(each, skipped=before.packets))
        else:
            changed = changed or f"{each.path} is not what it was when it was read"
    return New(found, changed)


def load(
    session: SparkSession,
    ledger: Ledger,
    state: State | None,
    inputs: Sequence[Input],
    options: Options,
    observer: Observer,
) -> Loaded:
    """Read what is new among `inputs`, and go on from `state` (None: begin). Raises PipelineError.

    What was read is kept then, and the same run goes on with it; rows come into the tables when all is read.
    """
    parallel = session.sparkContext.defaultParallelism
    most = most_bytes(parallel)
    renewed: str | None = None
    if state is None:
        size = min(sum(each.size for each in inputs), most)
        state = State(buckets=options.buckets or bucket_count(size, parallel))
        if ledger.shown():
            renewed = f"what was known of the run {ledger.run_id} is gone"
            state = _renewed(ledger, state, inputs, renewed, _files_in_table(ledger))
    while True:
        new = new_inputs(inputs, state, options.key_log)
        if new.changed is not None:
            renewed, state = new.changed, renew(ledger, state, inputs, new.changed)
            continue
        batch = first_of(new.inputs, most)
        if not batch and state.shown:
            return Loaded(state, renewed)
        plan = Plan(state.batch + 1, batch, run=True, pauses=len(batch) == len(new.inputs))
        observer.begins(sum(each.size for each in new.inputs))
        try:
            state = run_micro_batch(session, ledger, state, plan, options, observer)
        except PipelineError as error:
            if not error.outdated:
                raise
            state.secrets = b"\n".join(filter(None, (state.secrets, error.secrets)))
            renewed, state = str(error), renew(ledger, state, inputs, str(error), error.apart)


def renew(ledger: Ledger, state: State, inputs: Sequence[Input], why: str, apart: str | None = None) -> State:
    """Give the state in which all is read again. Raises PipelineError where files that were read are gone."""
    read = [each.path for each in state.files.values() if each.packets]
    return _renewed(ledger, state, inputs, why, read, apart)


def _renewed(
    ledger: Ledger, state: State, inputs: Sequence[Input], why: str, read: Sequence[str], apart: str | None = None
) -> State:
    there = {without_compression(path) for each in inputs for path in (each.path, file_name(each.path))}
    gone = [path for path in read if without_compression(path) not in there]
    if gone:
        raise PipelineError(
            f"{why}, so that all must be read again; but {len(gone):,} files that were read are gone, the first"
            f" {gone[0]}: bring them back, or write into another DEST"
        )
    rings = {ring for ring, each in state.rings.items() if each.apart}
    return state.renew(ledger.shown(), rings | ({apart} if apart else set()))


def _files_in_table(ledger: Ledger) -> list[str]:
    """Give the files of which the table says that packets of them were read."""
    found: list[str] = []
    for path in ledger.shown():
        if path.startswith(f"{FILES.name}/"):
            rows = pq.ParquetFile(open_at_random(ledger.place_of(path))).read(["file", "packets"]).to_pylist()
            found += [row["file"] for row in rows if row["packets"]]
    return found
