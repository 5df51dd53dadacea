"""`kafkasniff pipeline`: directories of captures into tables, on Spark."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from kafkasniff.cli import options
from kafkasniff.cli.exit_status import ExitStatus

if TYPE_CHECKING:
    from kafkasniff.pipeline.inputs import Input
    from kafkasniff.pipeline.job import Outcome
    from kafkasniff.pipeline.options import Options

EXAMPLES = """\b
Examples:
  kafkasniff pipeline captures/ tables/
  kafkasniff pipeline 'broker*/trace.pcap*' tables/ --records
  kafkasniff pipeline captures/ tables/ --from 2026-11-20T12:00:00Z --to 2026-11-20T13:00:00Z
  kafkasniff pipeline --follow captures/ tables/            a directory that tcpdump -G 60 -w fills, until Ctrl-C
  kafkasniff pipeline --follow --finish captures/ tables/   the rest of it, and the end of what is open
  kafkasniff pipeline /mnt/captures /mnt/tables --master spark://head:7077 --conf spark.executor.memory=4g
"""

_STILL = "1m"

SHOWN_REASONS = 10
"""Files that were not read of which the summary says why; the table `files` says it of all."""

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SRC...", help="Directories, captures or globs; files of one ring are one capture, others are apart."
    ),
]
Target = Annotated[str, typer.Argument(metavar="DEST", help="The directory with the tables; made where it is missing.")]
Master = Annotated[
    str | None,
    typer.Option(
        "--master", metavar="URL", help="Spark's master; without it all processors of this machine.", show_default=False
    ),
]
Conf = Annotated[list[str] | None, typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark.")]
Records = Annotated[bool, typer.Option("--records", help="Write the table `records` too: every record in the batches.")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with a run that was killed, with what it had written so far.")
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
        help="With --follow: also take a file for whole that is the newest of its ring, once nothing was written to it"
        " for so long; 1m unless told.",
        show_default=False,
    ),
]
Finish = Annotated[
    bool,
    typer.Option("--finish", help="With --follow: take all files for whole, end what is open, and with it the run."),
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Show what Spark says.")]


def pipeline(
    sources: Sources,
    destination: Target,
    master: Master = None,
    conf: Conf = None,
    keylog: options.KeyLog = None,
    records: Records = False,
    begin: options.From = None,
    end: options.To = None,
    resume: Resume = False,
    follow: Follow = False,
    still: Still = None,
    finish: Finish = False,
    definitions: options.Definitions = None,
    verbose: Verbose = False,
) -> None:
    """Turn directories of captures into Parquet tables, on Spark: here, or on a cluster."""
    from kafkasniff.cli.filters import duration_ns
    from kafkasniff.cli.output import print_message

    settings = _settings(conf or ())
    if follow:
        why = "would cut connections of which more is to come; the tables have the times to choose by"
        options.refuse({"--from": begin, "--to": end}, why)
        _refuse_files(sources)
    else:
        options.refuse({"--still": still, "--finish": finish}, "is about directories that are written to: --follow")
    still_s = duration_ns(still or _STILL, "--still") / 1e9
    try:
        from kafkasniff.pipeline.errors import PipelineError
        from kafkasniff.pipeline.inputs import find_inputs, path_of, run_id
        from kafkasniff.pipeline.job import Outcome, run
        from kafkasniff.pipeline.output import Destination
        from kafkasniff.pipeline.progress import Progress
        from kafkasniff.pipeline.session import is_remote, open_session
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pyspark", "pyarrow", "pandas", "py4j", "msgpack"):
            raise
        print_message("kafkasniff: pipeline needs Spark: pip install 'kafkasniff[spark]'")
        raise typer.Exit(ExitStatus.FAILED) from None
    try:
        sources, destination = [path_of(source) for source in sources], path_of(destination)
        if is_remote(master):
            sources = [os.path.abspath(source) for source in sources]
        if follow:
            from kafkasniff.cli.following import Followed, follow_directories

            followed = Followed(sources, destination, keylog, records, still_s, finish)
            follow_directories(followed, lambda: open_session(master, settings, quiet=not verbose))
            return
        inputs = find_inputs(sources, leave_out=destination)
        asked = _options(keylog, records, begin, end, inputs)
        target = Destination(destination, run_id(inputs, asked.texts()))
        done = target.finished()
        if done is not None:
            outcome = Outcome(done, added=False)
        else:
            session = open_session(master, settings, quiet=not verbose)
            try:
                with Progress(session):
                    outcome = run(session, inputs, target, asked, resume=resume)
            finally:
                session.stop()
    except PipelineError as error:
        print_message(f"kafkasniff: {error}")
        raise typer.Exit(ExitStatus.FAILED) from None
    except KeyboardInterrupt:
        raise typer.Exit(ExitStatus.INTERRUPTED) from None
    added = f"{outcome.packets:,} packets in {len(inputs):,} files, written as run {target.run_id}"
    print_summary(outcome, added if outcome.added else f"run {target.run_id} was complete already: nothing added")


def _refuse_files(sources: list[str]) -> None:
    """Raise typer.BadParameter for what is no directory."""
    for source in sources:
        if not os.path.isdir(source):
            what = "is no directory" if os.path.exists(source) else "there is no such directory"
            raise typer.BadParameter(f"{source}: {what}; --follow takes directories.", param_hint="SRC")


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
    from kafkasniff.cli.filters import moment
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
        None if begin is None else moment(begin, "--from").after(first),
        None if end is None else moment(end, "--to").after(first),
    )


def print_summary(outcome: "Outcome", text: str) -> None:
    """Print the rows by table and a line of `text`, and why files were not read."""
    from kafkasniff.cli.output import print_message, print_text

    lines = [f"{table:<12}{rows:>14,}" for table, rows in outcome.rows.items()]
    print_text("\n".join([*lines, text]) + "\n")
    unread = outcome.unread[:SHOWN_REASONS]
    if more := len(outcome.unread) - len(unread) + outcome.more_unread:
        unread.append(f"{more:,} more files not read, or not to their end: see the table `files`")
    for reason in (*unread, *outcome.notes):
        print_message(f"kafkasniff: {reason}")
