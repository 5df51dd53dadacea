"""`kafkasniff live`: the calls on network interfaces."""

import os
import signal
import sys
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.bounds import Bounds
from kafkasniff.cli.options.capturing import Buffer, Duration, Filter, Jobs, Pending, User
from kafkasniff.cli.options.filters import Filters, with_filters
from kafkasniff.cli.options.shape import Shape, with_shape
from kafkasniff.cli.options.watching import Every, Metrics, Names, Otlp, Top
from kafkasniff.cli.processes.stopping import Stopping

if TYPE_CHECKING:
    from kafkasniff.capture.interfaces.privileges import Account
    from kafkasniff.capture.writer import PcapngWriter
    from kafkasniff.diagnose.engine import Diagnosis

EXAMPLES = """\b
Examples:
  kafkasniff live eth0                      one line a call, until Ctrl-C
  kafkasniff live eth0 --duration 30s --write out.pcapng
  kafkasniff live eth0 --every 10s --json   rates, errors, latencies
  kafkasniff live eth0 --diagnose --duration 10m --fail-on error --ignore acks-one
"""

Interfaces = Annotated[
    list[str], typer.Argument(metavar="IFACE...", help="Network interfaces; `any` is all of them.", show_default=False)
]
Diagnose = Annotated[
    bool,
    typer.Option("--diagnose", help="Show findings in place of calls, each when it is certain."),
]
Write = Annotated[
    str | None,
    typer.Option("--write", metavar="FILE.pcapng", help="Write all packets to a new capture too."),
]


@with_filters
@with_shape
def live(
    interfaces: Interfaces,
    bpf_filter: Filter = None,
    duration: Duration = None,
    pending: Pending = "330s",
    buffer: Buffer = 64,
    jobs: Jobs = 1,
    write: Write = None,
    write_secrets: options.WriteSecrets = False,
    user: User = None,
    diagnose: Diagnose = False,
    rule: options.Rule = None,
    ignore: options.Ignore = None,
    assignment: options.Assignment = None,
    fail_on: options.FailOn = None,
    top: Top = False,
    every: Every = None,
    metrics: Metrics = None,
    otlp: Otlp = None,
    names: Names = 200,
    *,
    filters: Filters,
    shape: Shape,
) -> None:
    """Show the calls on network interfaces as they end. Says how to get the right to capture."""
    from kafkasniff.calls.context import Context
    from kafkasniff.calls.options import CallOptions
    from kafkasniff.calls.spending import Spending
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.capture.interfaces.live import LiveCapture
    from kafkasniff.cli.options.filters import duration_ns
    from kafkasniff.cli.showing.columns import chosen_format
    from kafkasniff.cli.showing.reading import Showing, terminal_format
    from kafkasniff.cli.terminal.output import fail, print_message
    from kafkasniff.listening import LIVE_LIMITS, Listening

    if write_secrets and write is None:
        raise typer.BadParameter(
            "there is no capture to write them to; name one with --write.", param_hint="--write-secrets"
        )
    of_calls = {
        "--verbose": shape.verbose, "--time": shape.time != "absolute", "--time-of": shape.time_of != "response",
        "--wide": shape.wide, "--no-header": shape.no_header, "--columns": shape.columns, "--format": shape.form,
        "--limit": shape.limit, "--connections": shape.connections, "--records": shape.records,
        "--show-secrets": shape.show_secrets, "--limit-value": shape.limit_value is not None,
    }  # fmt: skip
    of_findings = {"--rule": rule, "--ignore": ignore, "--set": assignment, "--fail-on": fail_on}
    if diagnose:
        options.refuse(of_calls, "shapes calls, and --diagnose shows findings in their place")
    else:
        options.refuse(of_findings, "is about findings, which only --diagnose shows")
    every_ns = duration_ns(every, "--every") if every else None
    if top or every:
        options.refuse(of_calls, "shapes calls, and --top and --every show totals in their place")
    if top:
        options.refuse({"--json": shape.json_output}, "is no screen; --every TIME --json prints the same as lines")
        if not sys.stdout.isatty():
            raise typer.BadParameter("there is no terminal; --every TIME prints the same as lines.", param_hint="--top")
    serves = metrics is not None or otlp is not None
    shows_totals = top or bool(every) or (serves and not (shape.json_output or shape.form or shape.columns))
    shape = shape.settled()
    if jobs > 1:
        whole = {"--write": write, "--limit": shape.limit, "--diagnose": diagnose, "--every": every,
                 "--metrics": metrics, "--otlp": otlp, "--top": top}  # fmt: skip
        options.refuse(whole, "needs all calls in one process, and --jobs shares them out")
        if not shape.json_output:
            raise typer.BadParameter("it is for --json: other lines depend on each other.", param_hint="--jobs")
    limits = Bounds(shape.bounds)
    wanted = filters.filter()
    seconds = duration_ns(duration, "--duration") if duration else None
    pending_ns = duration_ns(pending, "--pending")
    lines = chosen_format(shape, partial(terminal_format, shape, repeats_header=True))
    diagnosis = _new_diagnosis(rule, ignore, assignment, fail_on) if diagnose else None
    failed = False
    share = None
    if jobs > 1:
        from kafkasniff.cli.processes.fanout import share_out

        share = share_out(jobs)
    try:
        with ExitStack() as stack:
            group = None if share is None else share.group
            capture = LiveCapture(interfaces, bpf_filter=bpf_filter, ring_bytes=buffer << 20, file=write, group=group)
            stack.callback(capture.close)
            if share is not None:
                share.wait_for_others()
                capture.discard()
            # Only now, as Windows lacks what it needs, and `LiveCapture` has said what to do there.
            from kafkasniff.capture.interfaces.confinement import confine
            from kafkasniff.capture.interfaces.privileges import account_to_become, give_up_privileges

            account = account_to_become(user)
            screen = watching = None
            if top:
                from kafkasniff.cli.showing.top import Top as Screen

                screen = Screen(", ".join(interfaces), *([] if every_ns is None else [every_ns / 1e9]))
            if shows_totals or serves:
                from kafkasniff.cli.showing.watching import Watching, run_without_calls

                watching = Watching(metrics, names, stack)
                if otlp is not None:
                    from kafkasniff.cli.showing.spans import exporting

                    watching.spans = exporting(otlp, False, stack)
            writer = _new_capture(write, stack, account, write_secrets) if write is not None else None
            comments = None
            if writer is not None:
                from kafkasniff.cli.showing.comments import CallTexts

                comments = CallTexts(shape.verbose, write_secrets).of_batch
            listening = Listening(
                capture,
                print_message if screen is None else screen.say,
                options=CallOptions(
                    show_secrets=shape.show_secrets,
                    context=Context(
                        records=shape.records,
                        limit_value=shape.limit_value,
                        records_limit=limits.decompressed,
                        limits=limits.message_limits(),
                        metrics=not diagnose and not shows_totals and (shape.json_output or bool(shape.verbose)),
                        spending=Spending(limits.decompressed),
                    ),
                ),
                connections=shape.connections or diagnose,
                tcp_limits=limits.tcp_limits(LIVE_LIMITS),
                call_limits=limits.call_limits()._replace(pending_ns=pending_ns),
                tls_limits=limits.tls_limits(),
                duration_ns=seconds,
                writer=writer,
                comments=comments,
                write_secrets=write_secrets,
                key_log=shape.keylog,
            )
            stopping = Stopping(capture.stop)
            for text in capture.notices:
                print_message(text)
            give_up_privileges(account)
            confine()
            print_message(f"listening on {', '.join(interfaces)}; Ctrl-C ends{_who(user, account)}")
            view = None
            if watching is not None:
                watching.begin(listening, capture, wanted, shows_totals and diagnosis is None)
                view = watching.view(listening, screen, every_ns, shape.json_output)
            if diagnosis is not None:
                from kafkasniff.cli.showing.live_findings import Diagnosing

                diagnosing = Diagnosing(listening, diagnosis, wanted, shape.json_output, fail_on, watching, view)
                failed = diagnosing.run()
            elif shows_totals:
                run_without_calls(listening, wanted, view)
            else:
                Showing(listening, wanted, lines, shape.limit).run(flush_batches=True)
            if writer is not None:
                for interface, received, dropped in capture.statistics():
                    writer.write_statistics(interface, received, dropped)
    except (CaptureError, BrokenPipeError) as error:
        fail(error)
    if stopping.signal == signal.SIGINT:
        raise typer.Exit(ExitStatus.INTERRUPTED)
    if capture.failures:
        raise typer.Exit(ExitStatus.FAILED)
    if failed:
        raise typer.Exit(ExitStatus.FINDINGS)


def _new_diagnosis(
    rule: list[str] | None, ignore: list[str] | None, assignment: list[str] | None, fail_on: str | None
) -> "Diagnosis":
    """Begin a diagnosis with the rules asked for; raises typer.BadParameter."""
    from kafkasniff.cli.options.settings import choose_rules
    from kafkasniff.cli.showing.findings import check_fail_on
    from kafkasniff.diagnose.engine import Diagnosis

    check_fail_on(fail_on)
    choice = choose_rules(rule or (), ignore or (), assignment or ())
    return Diagnosis(choice.rules, choice.settings)


def _who(asked: str | None, account: "Account | None") -> str:
    """Say as whom packets are read, where root started it and did not ask to stay."""
    from kafkasniff.capture.interfaces.privileges import ROOT

    if account is not None:
        return f"; now user {account.name}"
    return "; still root, --user NAME becomes another user" if os.geteuid() == ROOT and asked is None else ""


def _new_capture(path: str, stack: ExitStack, account: "Account | None", private: bool) -> "PcapngWriter":
    """Begin a new capture file, which is of `account` and `stack` closes; raises CaptureError."""
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.capture.writer import PcapngWriter, create

    stream = create(path, private=private)
    try:
        if account is not None:
            os.fchown(stream.fileno(), account.uid, account.gid)
    except OSError as error:
        raise CaptureError(f"{path}: cannot be written: {error.strerror}") from None
    stack.callback(_close, stream)
    return PcapngWriter(stream)


def _close(stream: BinaryIO) -> None:
    """Close a file, which writes what is still buffered; raises CaptureError."""
    from kafkasniff.capture.writer import cannot_write

    try:
        stream.close()
    except OSError as error:
        raise cannot_write(stream, error) from None
