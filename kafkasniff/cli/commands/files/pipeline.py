"""`kafkasniff pipeline`: directories of captures into tables, on Spark."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from kafkasniff.capture.files.object_store import is_object
from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options import filters as filter_options
from kafkasniff.cli.options.values import one_of, starting_with
from kafkasniff.render.words import escape

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkasniff.pipeline.follow.state import State
    from kafkasniff.pipeline.inputs.files import Input
    from kafkasniff.pipeline.options import Options
    from kafkasniff.questions.database import Answer

EXAMPLES = """\b
Examples:
  kafkasniff pipeline captures/ tables/
  kafkasniff pipeline 'broker*/trace.pcap*' tables/ --records
  kafkasniff pipeline captures/ tables/ --from 2026-11-20T12:00:00Z --to 2026-11-20T13:00:00Z
  kafkasniff pipeline --follow captures/ tables/           until Ctrl-C
  kafkasniff pipeline --follow --finish captures/ tables/  what is left
  kafkasniff pipeline s3://bucket/captures/ s3://bucket/tables/
  kafkasniff pipeline /mnt/captures /mnt/tables --master spark://head:7077
"""

_FORMATS = ("parquet", "delta", "iceberg")
_STILL = "1m"
_TARGET = "4.0.1"
"""The release of Kafka that --questions audits for; `audit` takes any."""

SHOWN_REASONS = 10
"""Files that were not read of which the summary says why; the table `files` says it of all."""

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SRC...",
        help="Directories, captures or globs, also in object stores (s3://bucket/captures/). Files that one capture was"
        " rotated into are read as one, others apart.",
    ),
]
Target = Annotated[
    str,
    typer.Argument(metavar="DEST", help="The directory with the tables, made where it is missing; also in a store."),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master", metavar="URL", help="Spark's master; without it all processors of this machine.", show_default=False
    ),
]
Conf = Annotated[list[str] | None, typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark.")]
Records = Annotated[bool, typer.Option("--records", help="Write the table `records` too: every record in the batches.")]
Rerun = Annotated[
    bool,
    typer.Option("--rerun", help="Read all files again; rows of those that were read are replaced."),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Say what would be read, and by how many tasks; start no Spark."),
]
Follow = Annotated[
    bool,
    typer.Option(
        "--follow",
        help="Go on with what comes into the directories SRC, until Ctrl-C; the same command goes on where it was.",
    ),
]
Still = Annotated[
    str | None,
    typer.Option(
        "--still",
        metavar="TIME",
        help="With --follow: also take a ring's newest file for whole when it has not grown for this time; default 1m.",
        show_default=False,
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        metavar="HOST:PORT",
        help="With --follow: serve metrics for Prometheus there, such as `:9309`.",
        show_default=False,
    ),
]
Finish = Annotated[
    bool,
    typer.Option("--finish", help="With --follow: take all files for whole, and end what is open."),
]
Mode = Annotated[
    str,
    typer.Option(
        "--mode",
        metavar="OCTAL",
        help="The mode of the tables' files, such as 0640.",
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="What the tables are: parquet, delta or iceberg.",
        callback=one_of(_FORMATS),
        autocompletion=starting_with(_FORMATS),
    ),
]
Compact = Annotated[bool, typer.Option("--compact", help="Also put small files of the tables together.")]
Questions = Annotated[
    bool, typer.Option("--questions", help="Also answer `stats`, `who` and `audit` over all rows of the run.")
]
JsonRecords = Annotated[
    bool,
    typer.Option("--json", help="Print what each step did in place of a summary: JSON, one object a line."),
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Show what Spark says.")]


def pipeline(
    sources: Sources,
    destination: Target,
    master: Master = None,
    conf: Conf = None,
    keylog: options.KeyLog = None,
    records: Records = False,
    begin: filter_options.From = None,
    end: filter_options.To = None,
    rerun: Rerun = False,
    dry_run: DryRun = False,
    follow: Follow = False,
    still: Still = None,
    finish: Finish = False,
    metrics: Metrics = None,
    definitions: options.Definitions = None,
    mode: Mode = "0600",
    form: Format = "parquet",
    compact: Compact = False,
    questions: Questions = False,
    json_output: JsonRecords = False,
    verbose: Verbose = False,
) -> None:
    """Turn directories of captures into Parquet tables, on Spark. Spark runs here, or on a cluster."""
    from kafkasniff.cli.options.filters import duration_ns
    from kafkasniff.cli.terminal.output import print_message

    settings = _settings(conf or ())
    rights = _rights(mode)
    if follow:
        why = "would cut connections of which more is to come; the tables have the times to choose by"
        options.refuse({"--from": begin, "--to": end, "--rerun": rerun}, why)
        over = {"--dry-run": dry_run, "--questions": questions, "--compact": compact}
        options.refuse(over, "is of a run over what is there: leave --follow out")
        _refuse_files(sources)
    else:
        of_following = {"--still": still, "--finish": finish, "--metrics": metrics}
        options.refuse(of_following, "is about directories that are written to: --follow")
    if json_output:
        options.refuse({"--dry-run": dry_run, "--questions": questions}, "is a text: leave --json out")
    still_s = duration_ns(still or _STILL, "--still") / 1e9
    try:
        import kafkasniff.pipeline.loading  # noqa: F401 - it needs all of the extra
        from kafkasniff.pipeline.errors import PipelineError
        from kafkasniff.pipeline.inputs.files import path_of
        from kafkasniff.pipeline.session import is_remote, open_session
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pyspark", "pyarrow", "pandas", "py4j", "msgpack"):
            raise
        print_message("kafkasniff: pipeline needs Spark: pip install 'kafkasniff[spark]'")
        raise typer.Exit(ExitStatus.FAILED) from None
    try:
        sources, destination = [path_of(source) for source in sources], path_of(destination)
        if is_remote(master):
            sources = [source if is_object(source) else os.path.abspath(source) for source in sources]

        def session() -> "SparkSession":
            return open_session(master, settings, quiet=not verbose)

        if follow:
            from kafkasniff.cli.processes.following import Followed, follow_directories

            asked = Followed(sources, destination, keylog, records, still_s, finish, rights, metrics, form, json_output)
            follow_directories(asked, session)
        elif dry_run:
            _plan(sources, destination, keylog, records, (begin, end), rerun, master)
        else:
            times = begin, end
            asks = compact, questions, json_output
            _load(sources, destination, keylog, records, times, rerun, rights, form, session, *asks)
    except PipelineError as error:
        print_message(f"kafkasniff: {error}")
        raise typer.Exit(ExitStatus.FAILED) from None
    except KeyboardInterrupt:
        raise typer.Exit(ExitStatus.INTERRUPTED) from None


def _load(
    sources: list[str],
    destination: str,
    keylog: str | None,
    records: bool,
    times: tuple[str | None, str | None],
    rerun: bool,
    rights: int,
    form: str,
    open_session: "Callable[[], SparkSession]",
    compacts: bool,
    questions: bool,
    as_json: bool,
) -> None:
    """Read what is new, and print what was done, and answers where they are asked for. Raises PipelineError."""
    from kafkasniff.cli.processes.spark_progress import SparkProgress
    from kafkasniff.cli.showing.answers import print_answer
    from kafkasniff.cli.terminal.output import print_json, print_text
    from kafkasniff.pipeline.asking import answers
    from kafkasniff.pipeline.compaction import compact
    from kafkasniff.pipeline.follow.ledger import Ledger, run_id, tables_of
    from kafkasniff.pipeline.inputs.files import find_inputs
    from kafkasniff.pipeline.loading import Loaded, load, new_inputs, renew

    inputs = find_inputs(sources, leave_out=destination)
    refuse_without_captures(sources, inputs)
    options = _options(keylog, records, *times, inputs)
    run = run_id(sources, id_texts(keylog, records, *times))
    ledger = Ledger(destination, run, tables_of(records), rights, form)
    try:
        state = ledger.open()
        before = 0 if state is None else state.files_read
        stood = bool(before or ledger.shown())
        if rerun and state is not None:
            state = renew(ledger, state, inputs, "--rerun asks for it")
        is_new = state is None or not state.shown or any(new_inputs(inputs, state, options.key_log))
        loaded = None if is_new or state is None else Loaded(state)
        answered: list[tuple[str, Answer]] = []
        if loaded is None or compacts or questions:
            session = open_session()
            try:
                with SparkProgress(session, print_json if as_json else None) as progress:
                    loaded = loaded or load(session, ledger, state, inputs, options, progress)
                    if compacts:
                        loaded = loaded._replace(state=compact(session, ledger, loaded.state))
                    if questions:
                        answered = [*answers(session, destination, run, _TARGET)]
            finally:
                session.stop()
    finally:
        ledger.close()
    read = loaded.state.files_read
    text = f"{loaded.state.packets:,} packets in {read:,} files, written as run {run}"
    again = f"all is read again: {loaded.renewed or '--rerun asks for it'}" if rerun or loaded.renewed else None
    if before and again is None:
        text += f"; {read - before:,} of the files are new" if read > before else "; nothing is new"
    print_summary(loaded.state, ledger.tables, options.key_log, text, [again] if again and stood else [], as_json)
    for heading, answer in answered:
        print_text(f"\n{heading}\n")
        print_answer(answer, "table")


def _plan(
    sources: list[str],
    destination: str,
    keylog: str | None,
    records: bool,
    times: tuple[str | None, str | None],
    rerun: bool,
    master: str | None,
) -> None:
    """Print what a run would do. Raises PipelineError."""
    from kafkasniff.cli.showing.planned import show_plan
    from kafkasniff.pipeline.follow.ledger import Ledger, run_id, tables_of
    from kafkasniff.pipeline.inputs.files import find_inputs
    from kafkasniff.pipeline.planning import plan_run
    from kafkasniff.pipeline.session import tasks_at_once

    inputs = find_inputs(sources, leave_out=destination)
    refuse_without_captures(sources, inputs)
    run = run_id(sources, id_texts(keylog, records, *times))
    state = None if rerun else Ledger(destination, run, tables_of(records)).look()
    at_once = tasks_at_once(master)
    show_plan(plan_run(inputs, state, _options(keylog, records, *times, inputs), at_once or 1), run, at_once)


def refuse_without_captures(sources: list[str], inputs: "list[Input]") -> None:
    """Raise PipelineError where there is nothing to read."""
    from kafkasniff.pipeline.errors import PipelineError

    where = ", ".join(sources)
    if not inputs:
        raise PipelineError(f"{where}: expected captures, found no file")
    if all(each.reason is not None for each in inputs):
        reasons = f"the first: {inputs[0].reason}"
        raise PipelineError(f"{where}: expected captures, found none among {len(inputs):,} files; {reasons}")


def id_texts(keylog: str | None, records: bool, begin: str | None = None, end: str | None = None) -> list[str]:
    """Give what stands for the options in the run's id: of the key log its name, for it may grow."""
    from kafkasniff.protocol import DEFINITIONS_VARIABLE

    keys = "" if keylog is None else os.path.realpath(keylog)
    return [keys, str(records), str(begin), str(end), os.environ.get(DEFINITIONS_VARIABLE, "")]


def _refuse_files(sources: list[str]) -> None:
    """Raise typer.BadParameter for what is no directory."""
    for source in sources:
        if not is_object(source) and not os.path.isdir(source):
            what = "is no directory" if os.path.exists(source) else "there is no such directory"
            raise typer.BadParameter(f"{escape(source)}: {what}; --follow takes directories.", param_hint="SRC")


def _rights(mode: str) -> int:
    """Give the mode of files."""
    try:
        rights = int(mode, 8)
    except ValueError:
        rights = -1
    if rights & 0o600 != 0o600 or not 0 <= rights <= 0o666 or rights & 0o111:
        raise typer.BadParameter(f"{mode!r} is no mode of files that this user reads and writes.", param_hint="--mode")
    return rights


def _settings(assignments: "list[str] | tuple[str, ...]") -> dict[str, str]:
    settings = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{assignment!r} is not KEY=VALUE.", param_hint="--conf")
        settings[name] = value
    return settings


def _options(keylog: str | None, records: bool, begin: str | None, end: str | None, inputs: "list[Input]") -> "Options":
    """Give the options of the run; relative times count from the first packet of all files."""
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.cli.options.filters import time_ns
    from kafkasniff.pipeline.errors import PipelineError
    from kafkasniff.pipeline.options import Options
    from kafkasniff.secrets import SecretSources

    first = min((each.first_time for each in inputs if each.first_time is not None), default=0)
    try:
        key_log = b"".join(SecretSources([], keylog).key_log.lines())
    except CaptureError as error:
        raise PipelineError(str(error)) from None
    return Options(
        key_log,
        records,
        None if begin is None else time_ns(begin, "--from", first),
        None if end is None else time_ns(end, "--to", first),
    )


def print_summary(
    state: "State", tables: Sequence[str], key_log: bytes, text: str, said: Sequence[str], as_json: bool
) -> None:
    """Print the rows by table and a line of `text`, what else is to be `said`, and why files were not read.

    With `as_json` the rows were printed before, step by step.
    """
    from kafkasniff.cli.terminal.output import print_message, print_text
    from kafkasniff.pipeline.follow.micro_batch import limits_of

    if not as_json:
        lines = [f"{table:<12}{rows:>14,}" for table, rows in state.counts(tables).items()]
        print_text("\n".join([*lines, text]) + "\n")
    reasons = state.reasons()
    unread = reasons[:SHOWN_REASONS]
    if more := len(reasons) - len(unread) + state.more_unread:
        unread.append(f"{more:,} more files not read, or not to their end: see the table `files`")
    for reason in (*said, *unread, *limits_of(state, key_log)):
        print_message(f"kafkasniff: {reason}")
