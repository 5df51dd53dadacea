"""`kafkasniff diagnose`: what clients do wrong, why, and what to change."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.bounds import Bounds, BoundsOption
from kafkasniff.cli.options.filters import Filters, with_filters

if TYPE_CHECKING:
    from kafkasniff.calls.items import Item

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
            help="The life of a group, client, partition, connection, transactional-id.",
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
    from kafkasniff.calls.items import taken_out
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.cli.options.settings import choose_rules
    from kafkasniff.cli.processes.jobs import usable_jobs
    from kafkasniff.cli.showing.explained import explain_findings, explained
    from kafkasniff.cli.showing.findings import SEVERE, Shape, check_fail_on, fails, say_closing, write_findings
    from kafkasniff.cli.terminal.output import Output, fail, print_message
    from kafkasniff.cli.terminal.pager import page
    from kafkasniff.cli.terminal.progress import Progress
    from kafkasniff.diagnose.consumers.lag import ConsumerLagGrows, Ends, standings
    from kafkasniff.diagnose.engine import Diagnosis
    from kafkasniff.diagnose.finding import Finding
    from kafkasniff.diagnose.timeline import KINDS, Timeline
    from kafkasniff.reading import Reading
    from kafkasniff.render.closing import closing_line, closing_notes
    from kafkasniff.render.colours import colours_for
    from kafkasniff.render.diagnosis.lags import lag_lines
    from kafkasniff.render.diagnosis.timelines import nothing_text, timeline_lines
    from kafkasniff.render.terminal import terminal_width

    check_fail_on(fail_on)
    kind, _, name = (timeline or "").partition("=")
    if timeline is not None and (kind not in KINDS or not name):
        raise typer.BadParameter(f"{timeline!r} is not one of {', '.join(KINDS)} with =NAME.", param_hint="--timeline")
    try:
        life = Timeline(kind, name)
    except ValueError as error:
        raise typer.BadParameter(f"{timeline!r}: {error}.", param_hint="--timeline") from None
    limits = Bounds(bounds)
    wanted = filters.filter()
    choice = choose_rules(rule or (), ignore or (), assignment or ())
    if sum((timeline is not None, lag, explain is not None)) > 1:
        raise typer.BadParameter("name one of --timeline, --lag and --explain.")
    if explain is not None and "-" in files:
        raise typer.BadParameter("captures are read twice for this: name files.", param_hint="--explain")
    rules = [ConsumerLagGrows] if lag else choice.rules
    diagnosis = Diagnosis(rules, choice.settings) if timeline is None else None
    ends = Ends()
    output = Output(sys.stdout.buffer)
    findings: list[Finding] = []
    reached: list[str] = []
    interrupted = False
    try:
        open_captures = partial(
            Reading,
            files,
            connections=True,
            metrics=False,
            key_log=keylog,
            **limits.of_reading(),
        )
        if diagnosis is not None and not lag and jobs > 1 and (usable := usable_jobs(jobs, files)) > 1:
            from kafkasniff.cli.processes.shares import diagnose_shares

            reading, findings, reached, interrupted = diagnose_shares(usable, open_captures, choice, wanted)
        else:
            reading = open_captures()
            feed = life.feed if diagnosis is None else diagnosis.feed
            progress = Progress(reading, writes_lines=False)

            def judge(items: "list[Item]") -> None:
                judged = wanted.judged(taken_out(items), reading.summary)
                if diagnosis is not None and not lag:
                    diagnosis.feed_all(judged)
                    return
                for item in judged:
                    feed(item)
                    if lag:
                        ends.feed(item)

            try:
                for items in reading.batches():
                    judge(items)
                    progress.report()
            except KeyboardInterrupt:
                interrupted = True
                judge(reading.finish())
            finally:
                progress.clear()
            if diagnosis is not None:
                findings, reached = diagnosis.findings(), diagnosis.limits_reached()
    except CaptureError as error:
        fail(error)
    page()
    summary = reading.summary
    if diagnosis is None or lag:
        lines = (
            timeline_lines(life, json_output, colours_for(sys.stdout), terminal_width())
            if diagnosis is None
            else lag_lines(standings(diagnosis.rules, ends), json_output, terminal_width())
        )
        for line in lines:
            output.write(line)
        output.flush()
        nothing = [nothing_text(life)] if diagnosis is None else []
        for text in filter(None, [*nothing, *closing_notes(summary)]):
            print_message(f"kafkasniff: {text}")
        print_message(closing_line(summary, life.failed))
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
    if fail_on is not None and diagnosis is not None and not summary.counts.calls and not findings:
        # Whoever asks whether all is well must not take a capture without calls for it.
        raise typer.Exit(ExitStatus.FAILED)
    if fails(findings, fail_on):
        raise typer.Exit(ExitStatus.FINDINGS)
