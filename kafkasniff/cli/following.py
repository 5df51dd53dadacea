"""`kafkasniff pipeline --follow`: goes on with what comes into directories."""

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import typer
from py4j.protocol import Py4JError

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.output import print_message
from kafkasniff.cli.pipeline import print_summary
from kafkasniff.cli.stopping import Stopping
from kafkasniff.pipeline.follow_state import Ledger, State, follow_id
from kafkasniff.pipeline.following import Following
from kafkasniff.pipeline.job import Outcome
from kafkasniff.pipeline.micro_batch import limits_of
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.watching import Watch
from kafkasniff.tables.declared import CALLS, FILES, RECORDS, TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Followed(NamedTuple):
    """What is asked for."""

    folders: Sequence[str]
    destination: str
    keylog: str | None
    records: bool
    still_s: float
    finish: bool


def follow_directories(asked: Followed, open_session: "Callable[[], SparkSession]") -> None:
    """Follow until Ctrl-C or SIGTERM, or to the end, and print a summary. Raises PipelineError."""
    tables = [name for name in TABLES if asked.records or name != RECORDS.name]
    keys = "" if asked.keylog is None else os.path.realpath(asked.keylog)
    run = follow_id(asked.folders, [keys, str(asked.records)])
    ledger = Ledger(asked.destination, run, tables)
    done = ledger.finished()
    if done is not None:
        print_summary(Outcome(done), f"run {run} was finished already: nothing added")
        return
    _options(asked)
    state = ledger.open()
    watch = Watch(asked.folders, asked.destination, asked.still_s)
    session = open_session()
    try:
        following = Following(session, ledger, state, watch, lambda: _options(asked), _tell)
        stopping = Stopping(following.stop)
        following.run(asked.finish)
    finally:
        with suppress(Py4JError, OSError):
            # What ends this process may have ended Spark before.
            session.stop()
        ledger.close()
    notes = limits_of(following.state, _options(asked).key_log)
    _summarise(run, following.state, tables, notes)
    if stopping.signal == signal.SIGINT:
        raise typer.Exit(ExitStatus.INTERRUPTED)


def _options(asked: Followed) -> Options:
    """Give the options, with what the key log has by now. Raises PipelineError."""
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.pipeline.errors import PipelineError
    from kafkasniff.secrets import SecretSources

    try:
        return Options(b"".join(SecretSources([], asked.keylog).key_log.lines()), asked.records)
    except CaptureError as error:
        raise PipelineError(str(error)) from None


def _tell(before: State, state: State, seconds: float) -> None:
    """Say what a micro-batch brought."""
    tables = [CALLS.name, FILES.name]
    calls = state.counts(tables)[CALLS.name] - before.counts(tables)[CALLS.name]
    packets = state.packets - before.packets
    files = state.files_read - before.files_read
    print_message(f"kafkasniff: files: {files:,}; packets: {packets:,}; calls: {calls:,}; {seconds:.1f} s")


def _summarise(run: str, state: State, tables: Sequence[str], notes: list[str]) -> None:
    outcome = Outcome(
        state.counts(tables), packets=state.packets, unread=state.unread, more_unread=state.more_unread, notes=notes
    )
    text = f"{state.packets:,} packets in {state.files_read:,} files, written as run {run}"
    if not state.finished:
        text += "; what is open is kept: the same command goes on, with --finish to the end"
    print_summary(outcome, text)
