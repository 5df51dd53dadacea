"""`kafkasniff read`: the calls in captures."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.bounds import Bounds
from kafkasniff.cli.options.filters import Filters, with_filters
from kafkasniff.cli.options.shape import Shape, with_shape
from kafkasniff.cli.options.watching import Otlp

EXAMPLES = """\b
Examples:
  kafkasniff read capture.pcap                     one line a call
  kafkasniff read capture.pcap -v --limit 5        with the decoded messages
  kafkasniff read *.pcapng --errors --time local   calls that brought an error
  kafkasniff read capture.pcap --api fetch --slower-than 500ms
  kafkasniff read capture.pcap --group billing --write billing.pcapng
  kafkasniff read capture.pcap --topic orders --records
  kafkasniff read capture.pcap --keylog keys.log   TLS, with logged secrets
  kafkasniff read capture.pcap.zst --json | jq .requestHeader
  tcpdump -i eth0 -U -w - port 9092 | kafkasniff read -
"""


@with_filters
@with_shape
def read(
    files: options.Files,
    sort: options.Sort = None,
    write: options.Write = None,
    write_secrets: options.WriteSecrets = False,
    two_pass: options.TwoPass = False,
    jobs: options.Jobs = 1,
    otlp: Otlp = None,
    *,
    filters: Filters,
    shape: Shape,
) -> None:
    """Show the calls in captures: requests with their responses. They come in the order of their ends."""
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.cli.showing.columns import chosen_format
    from kafkasniff.cli.showing.reading import LineFormat, Showing, ordered_format, terminal_format
    from kafkasniff.cli.terminal.output import fail
    from kafkasniff.cli.terminal.pager import page
    from kafkasniff.reading import Reading

    if write is not None and "-" in files:
        raise typer.BadParameter("standard input cannot be read twice; save it to a file first.", param_hint="--write")
    if write_secrets and write is None:
        raise typer.BadParameter(
            "there is no capture to write them to; name one with --write.", param_hint="--write-secrets"
        )
    if two_pass and "-" in files:
        raise typer.BadParameter(
            "standard input cannot be read twice; save it to a file first.", param_hint="--two-pass"
        )
    shape = shape.settled()
    if sort:
        why = "counts calls in the order in which they ended"
        options.refuse({"--limit": shape.limit, "--time": shape.time == "delta"}, why)
        shape = shape._replace(time_of="request")
    limits = Bounds(shape.bounds)
    wanted = filters.filter()
    try:
        if write is not None:
            from kafkasniff.capture.writer import check_new

            check_new(write)
        open_captures = partial(
            Reading,
            files,
            show_secrets=shape.show_secrets,
            connections=shape.connections,
            keep_packets=write is not None,
            keep_secrets=write_secrets,
            records=shape.records,
            limit_value=shape.limit_value,
            two_pass=two_pass,
            # Only there something is said of them.
            fetch_sessions=shape.json_output or bool(shape.verbose),
            metrics=shape.json_output or bool(shape.verbose),
            key_log=shape.keylog,
            **limits.of_reading(),
        )
        if "-" not in files:
            page()
        terminal: Callable[[], LineFormat] = partial(terminal_format, shape)
        order = None
        if sort:
            from kafkasniff.cli.showing.sorting import RequestOrder

            ordered, above = ordered_format(shape)
            is_list = shape.columns is None and not shape.json_output and shape.form in (None, "table")
            order = RequestOrder(above if is_list else None)
            terminal = lambda: ordered  # noqa: E731
        lines = chosen_format(shape, terminal)
        usable = 1
        if jobs > 1 and shape.limit is None and write is None and order is None and otlp is None:
            from kafkasniff.cli.processes.jobs import usable_jobs

            usable = usable_jobs(jobs, files)
        if usable > 1:
            from kafkasniff.cli.processes.turns import show

            reading = show(usable, open_captures, wanted, lines)
        else:
            reading = open_captures()
            with ExitStack() as stack:
                if otlp is not None:
                    from kafkasniff.cli.showing.spans import exporting, with_spans

                    lines = with_spans(lines, exporting(otlp, True, stack), shape.json_output)
                comments = None
                if write is not None:
                    from kafkasniff.cli.showing.comments import PacketComments

                    comments = PacketComments(shape.verbose, write_secrets)
                    stack.callback(comments.close)
                showing = Showing(reading, wanted, lines, shape.limit, comments=comments, order=order)
                showing.run(flush_batches="-" in files)
                if write is not None:
                    showing.write_packets(files, write, write_secrets)
    except CaptureError as error:
        fail(error)
    if reading.summary.damages:
        raise typer.Exit(ExitStatus.FAILED)
