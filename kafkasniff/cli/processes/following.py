"""`kafkasniff pipeline --follow`: goes on with what comes into directories."""

import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from py4j.protocol import Py4JError

from kafkasniff.capture.errors import CaptureError
from kafkasniff.cli.commands.files.pipeline import id_texts, print_summary
from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.processes.stopping import Stopping
from kafkasniff.cli.showing.watching import take_port
from kafkasniff.cli.terminal.output import print_json, print_message
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.following import Following
from kafkasniff.pipeline.follow.ledger import Ledger, run_id, tables_of
from kafkasniff.pipeline.follow.state import State
from kafkasniff.pipeline.inputs.watching import Watch
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.run_record import Observer
from kafkasniff.secrets import SecretSources
from kafkasniff.tables.declared import CALLS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkasniff.pipeline.follow.metrics import FollowMetrics


class Followed(NamedTuple):
    """What is asked for."""

    folders: Sequence[str]
    destination: str
    keylog: str | None
    records: bool
    still_s: float
    finish: bool
    rights: int
    metrics: str | None
    """Where metrics are served."""
    form: str
    """What the tables are."""
    as_json: bool
    """Whether micro-batches are told as JSON."""


class _Telling(Observer):
    """Says what each micro-batch brought, and lets metrics count it."""

    metrics: "FollowMetrics | None" = None

    def __init__(self, as_json: bool) -> None:
        """Say it as JSON on standard output, or as text on standard error."""
        self._as_json = as_json

    def done(self, record: Mapping[str, Any]) -> None:
        """Say it."""
        files, packets, calls = record["files"], record["packets"], record["rows_added"][CALLS.name]
        if self._as_json:
            print_json(record)
        else:
            print_message(
                f"kafkasniff: files: {files:,}; packets: {packets:,}; calls: {calls:,}; {record['seconds']:.1f} s"
            )
        if self.metrics is not None:
            self.metrics.take(record)

    def again(self, why: str) -> None:
        """Say why."""
        print_message(f"kafkasniff: all is read again: {why}")
        if self.metrics is not None:
            self.metrics.renewed()


def follow_directories(asked: Followed, open_session: "Callable[[], SparkSession]") -> None:
    """Follow until Ctrl-C or SIGTERM, or to the end, and print a summary. Raises PipelineError."""
    run = run_id(asked.folders, id_texts(asked.keylog, asked.records))
    ledger = Ledger(asked.destination, run, tables_of(asked.records), asked.rights, asked.form)
    _options(asked)
    state = ledger.open()
    watch = Watch(asked.folders, asked.destination, asked.still_s)
    telling = _Telling(asked.as_json)
    with ExitStack() as stack:
        stack.callback(ledger.close)
        try:
            server = None if asked.metrics is None else take_port(asked.metrics, stack)
        except CaptureError as error:
            raise PipelineError(str(error)) from None
        session = open_session()
        stack.callback(_stop, session)
        following = Following(session, ledger, state, watch, lambda: _options(asked), telling)
        if server is not None:
            from kafkasniff.pipeline.follow.metrics import FollowMetrics

            telling.metrics = FollowMetrics(following, ledger.tables)
            server.start(telling.metrics, telling.metrics.why_unready)
            print_message(f"metrics at http://{server.host}:{server.port}/metrics")
        stopping = Stopping(following.stop)
        following.run(asked.finish)
    _summarise(run, following.state, ledger.tables, _options(asked).key_log, asked.as_json)
    if stopping.signal == signal.SIGINT:
        raise typer.Exit(ExitStatus.INTERRUPTED)


def _stop(session: "SparkSession") -> None:
    with suppress(Py4JError, OSError):
        # What ends this process may have ended Spark before.
        session.stop()


def _options(asked: Followed) -> Options:
    """Give the options, with what the key log has by now. Raises PipelineError."""
    try:
        return Options(b"".join(SecretSources([], asked.keylog).key_log.lines()), asked.records)
    except CaptureError as error:
        raise PipelineError(str(error)) from None


def _summarise(run: str, state: State, tables: Sequence[str], key_log: bytes, as_json: bool) -> None:
    text = f"{state.packets:,} packets in {state.files_read:,} files, written as run {run}"
    if state.open:
        text += "; what is open is kept: the same command goes on, with --finish to the end"
    print_summary(state, tables, key_log, text, [], as_json)
