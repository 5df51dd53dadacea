"""`kafkasniff pipeline --follow`: goes on with what comes into directories."""

import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import typer
from py4j.protocol import Py4JError

from kafkasniff.cli.commands.files.pipeline import id_texts, print_summary
from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.processes.stopping import Stopping
from kafkasniff.cli.terminal.output import print_message
from kafkasniff.pipeline.follow.following import Following
from kafkasniff.pipeline.follow.ledger import Ledger, run_id, tables_of
from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.inputs.watching import Watch
from kafkasniff.pipeline.options import Options
from kafkasniff.tables.declared import CALLS, FILES

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
    rights: int


def follow_directories(asked: Followed, open_session: "Callable[[], SparkSession]") -> None:
    """Follow until Ctrl-C or SIGTERM, or to the end, and print a summary. Raises PipelineError."""
    run = run_id(asked.folders, id_texts(asked.keylog, asked.records))
    ledger = Ledger(asked.destination, run, tables_of(asked.records), asked.rights)
    _options(asked)
    state = ledger.open()
    watch = Watch(asked.folders, asked.destination, asked.still_s)
    session = open_session()
    try:
        following = Following(session, ledger, state, watch, lambda: _options(asked), _tell, _tell_again)
        stopping = Stopping(following.stop)
        following.run(asked.finish)
    finally:
        with suppress(Py4JError, OSError):
            # What ends this process may have ended Spark before.
            session.stop()
        ledger.close()
    _summarise(run, following.state, ledger.tables, _options(asked).key_log)
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


def _tell_again(why: str) -> None:
    print_message(f"kafkasniff: all is read again: {why}")


def _summarise(run: str, state: State, tables: Sequence[str], key_log: bytes) -> None:
    text = f"{state.packets:,} packets in {state.files_read:,} files, written as run {run}"
    if state.open:
        text += "; what is open is kept: the same command goes on, with --finish to the end"
    print_summary(state, tables, key_log, text, [])
