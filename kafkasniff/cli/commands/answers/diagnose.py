"""`kafkasniff diagnose`: what clients do wrong, why, and what to change."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.bounds import Bounds, BoundsOption
from kafkasniff.cli.options.filters import Filters, with_filters

if TYPE_CHECKING:  # `--help` should not wait for them
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator

    from kafkasniff.calls.items import Item
    from kafkasniff.cli.terminal.output import Output
    from kafkasniff.diagnose.timeline import Timeline
    from kafkasniff.filters.filter import Filter
    from kafkasniff.reading import Reading, Summary

EXAMPLES = """\b
Examples:
  kafkasniff diagnose capture.pcap
  kafkasniff diagnose *.pcapng --json | jq 'select(.severity == "error")'
  kafkasniff diagnose capture.pcap --brief --severity warning
  kafkasniff diagnose capture.pcap --fail-on warning --ignore acks-one
  kafkasniff diagnose capture.pcap --rule commit-storm --set commit-storm.per_second=5
  kafkasniff diagnose capture.pcap --timeline group=billing
  kafkasniff diagnose capture.pcap --timeline partition=orders-3
  kafkasniff diagnose capture.pcap --lag
  kafkasniff diagnose capture.pcap --explain 2
  kafkasniff explain rebalance-storm
"""


@with_filters
def diagnose(
    files: options.Files,
    json_output: options.JsonOutput = False,
    keylog: options.KeyLog = None,
    rule: options.Rule = None,
    ignore: options.Ignore = None,
    assignment: options.Assignment = None,
    severity: options.Severity = "info",
    brief: options.Brief = False,
    fail_on: options.FailOn = None,
    definitions: options.Definitions = None,
    jobs: options.Jobs = 1,
    timeline: Annotated[
        str | None,
        typer.Option(
            "--timeline",
            metavar="KIND=NAME",
            help="What happened to a group, client, partition, connection, transactional-id.",
        ),
    ] = None,
    lag: Annotated[
        bool,
        typer.Option("--lag", help="How far each group is behind in each partition."),
    ] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            metavar="N|RULE",
            help="A finding, or those of a rule, with the calls that they cite.",
        ),
    ] = None,
    bounds: BoundsOption = None,
    *,
    filters: Filters,
) -> None:
    """Say what clients and brokers do wrong, why, and what to change."""
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.cli.options.settings import choose_rules
    from kafkasniff.cli.processes.jobs import usable_jobs
    from kafkasniff.cli.showing.explained import explain_findings, explained
    from kafkasniff.cli.showing.findings import SEVERE, Shape, check_fail_on, fails, say_closing, write_findings
    from kafkasniff.cli.terminal.output import Output, fail
    from kafkasniff.cli.terminal.pager import page
    from kafkasniff.diagnose.consumers.lag import ConsumerLagGrows, Ends, standings
    from kafkasniff.diagnose.engine import Diagnosis
    from kafkasniff.diagnose.finding import Finding
    from kafkasniff.reading import Reading
    from kafkasniff.render.colours import colours_for
    from kafkasniff.render.diagnosis.lags import lag_lines
    from kafkasniff.render.diagnosis.timelines import nothing_text, timeline_lines
    from kafkasniff.render.terminal import terminal_width

    check_fail_on(fail_on)
    followed = _timeline(timeline)
    limits = Bounds(bounds)
    wanted = filters.filter()
    choice = choose_rules(rule or (), ignore or (), assignment or ())
    if sum((timeline is not None, lag, explain is not None)) > 1:
        raise typer.BadParameter("name one of --timeline, --lag and --explain.")
    if explain is not None and "-" in files:
        raise typer.BadParameter("captures are read twice for this: name files.", param_hint="--explain")
    diagnosis = Diagnosis([ConsumerLagGrows] if lag else choice.rules, choice.settings)
    ends = Ends()
    output = Output(sys.stdout.buffer)
    findings: list[Finding] = []
    reached: list[str] = []
    open_captures = partial(
        Reading,
        files,
        connections=True,
        metrics=False,
        key_log=keylog,
        **limits.of_reading(),
    )

    feeds = (diagnosis.feed, ends.feed) if followed is None else (followed.feed,)

    def feed_each(items: "Iterable[Item]") -> None:
        for item in items:
            for feed in feeds:
                feed(item)

    try:
        if followed is None and not lag and jobs > 1 and (usable := usable_jobs(jobs, files)) > 1:
            from kafkasniff.cli.processes.shares import diagnose_shares

            reading, findings, reached, interrupted = diagnose_shares(usable, open_captures, choice, wanted)
        else:
            reading = open_captures()
            interrupted = _read(reading, wanted, diagnosis.feed_all if followed is None and not lag else feed_each)
            findings, reached = diagnosis.findings(), diagnosis.limits_reached()
    except CaptureError as error:
        fail(error)
    page()
    summary = reading.summary
    if followed is not None:
        rows = timeline_lines(followed, json_output, colours_for(sys.stdout), terminal_width())
        _write_rows(output, rows, summary, nothing_text(followed), followed.failed)
    elif lag:
        rows = lag_lines(standings(diagnosis.rules, ends), json_output, terminal_width())
        _write_rows(output, rows, summary)
    elif explain is not None:
        chosen = explained(explain, [each for each in findings if each.severity in SEVERE[severity]])
        explain_findings(chosen, open_captures(), output, json_output)
        say_closing(summary, reached, findings)
    else:
        write_findings(findings, summary, output, json_output, Shape(severity, brief), bool(rule))
        say_closing(summary, reached, findings)
    if interrupted:
        raise typer.Exit(ExitStatus.INTERRUPTED)
    if summary.damages:
        raise typer.Exit(ExitStatus.FAILED)
    if fail_on is not None and followed is None and not summary.counts.calls and not findings:
        # Whoever asks whether all is well must not take a capture without calls for it.
        raise typer.Exit(ExitStatus.FAILED)
    if fails(findings, fail_on):
        raise typer.Exit(ExitStatus.FINDINGS)


def _timeline(text: str | None) -> "Timeline | None":
    """Give what follows KIND=NAME; raises BadParameter."""
    from kafkasniff.diagnose.timeline import KINDS, Timeline

    if text is None:
        return None
    kind, _, name = text.partition("=")
    if kind not in KINDS or not name:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(KINDS)} with =NAME.", param_hint="--timeline")
    try:
        return Timeline(kind, name)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r}: {error}.", param_hint="--timeline") from None


def _read(reading: "Reading", wanted: "Filter", take: "Callable[[Iterator[Item]], None]") -> bool:
    """Hand to `take` what is wanted of captures; tell whether Ctrl-C ended it."""
    from kafkasniff.calls.items import taken_out
    from kafkasniff.cli.terminal.progress import Progress

    progress = Progress(reading, writes_lines=False)
    try:
        for items in reading.batches():
            take(wanted.judged(taken_out(items), reading.summary))
            progress.report()
    except KeyboardInterrupt:
        take(wanted.judged(taken_out(reading.finish()), reading.summary))
        return True
    finally:
        progress.clear()
    return False


def _write_rows(
    output: "Output",
    lines: "Iterable[bytes]",
    summary: "Summary",
    nothing: str = "",
    failed: "Counter[str] | None" = None,
) -> None:
    """Write rows, then what is to be known of the captures; `nothing` says that none were found."""
    from kafkasniff.cli.terminal.output import print_message
    from kafkasniff.render.closing import closing_line, closing_notes

    for line in lines:
        output.write(line)
    output.flush()
    for text in filter(None, [nothing, *closing_notes(summary)]):
        print_message(f"kafkasniff: {text}")
    print_message(closing_line(summary, failed or {}))
