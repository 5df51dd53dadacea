"""`kafkasniff read`: the calls in captures."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.bounds import Bounds, BoundsOption
from kafkasniff.cli.options.filters import Filters, with_filters
from kafkasniff.cli.options.watching import Otlp
from kafkasniff.cli.terminal.pager import NoPager

EXAMPLES = """\b
Examples:
  kafkasniff read capture.pcap                     one line a call
  kafkasniff read capture.pcap -v --limit 5        with the decoded messages
  kafkasniff read *.pcapng --errors --time local   calls that brought an error
  kafkasniff read capture.pcap --api fetch --slower-than 500ms
  kafkasniff read capture.pcap --group billing --write billing.pcapng
  kafkasniff read capture.pcap --topic orders --records
  kafkasniff read capture.pcap --keylog keys.log   TLS, with the secrets that a client logged
  kafkasniff read capture.pcap.zst --json | jq .requestHeader
  tcpdump -i eth0 -U -w - port 9092 | kafkasniff read -
"""

TERMINAL_LIMIT_VALUE = 1024
"""Bytes of a key or value of a record that are shown in the terminal unless told otherwise."""


@with_filters
def read(
    files: options.Files,
    json_output: options.JsonOutput = False,
    verbose: options.Verbose = 0,
    time: options.Time = "absolute",
    time_of: options.TimeOf = "response",
    sort: options.Sort = None,
    columns: options.Columns = None,
    form: options.Format = None,
    wide: options.Wide = False,
    no_header: options.NoHeader = False,
    limit: options.Limit = None,
    connections: options.Connections = False,
    show_secrets: options.ShowSecrets = False,
    keylog: options.KeyLog = None,
    write: options.Write = None,
    write_secrets: options.WriteSecrets = False,
    records: options.Records = False,
    limit_value: options.LimitValue = None,
    two_pass: options.TwoPass = False,
    definitions: options.Definitions = None,
    jobs: options.Jobs = 1,
    otlp: Otlp = None,
    bounds: BoundsOption = None,
    colour: options.Colour = "auto",
    no_pager: NoPager = False,
    *,
    filters: Filters,
) -> None:
    """Show the calls in captures: requests with their responses, in the order in which they ended."""
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.cli.showing.columns import chosen_format
    from kafkasniff.cli.showing.reading import LineFormat, Showing, ordered_format, terminal_format
    from kafkasniff.cli.terminal.output import print_message
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
    json_output = json_output or form in ("json", "ndjson")
    if records and not json_output:
        verbose = max(verbose, 1)
        limit_value = TERMINAL_LIMIT_VALUE if limit_value is None else limit_value
    if sort:
        options.refuse({"--limit": limit, "--time": time == "delta"}, "counts calls in the order in which they ended")
        time_of = "request"
    limits = Bounds(bounds)
    wanted = filters.filter()
    try:
        if write is not None:
            from kafkasniff.capture.writer import check_new

            check_new(write)
        open_captures = partial(
            Reading,
            files,
            show_secrets=show_secrets,
            connections=connections,
            keep_packets=write is not None,
            keep_secrets=write_secrets,
            records=records,
            limit_value=limit_value,
            two_pass=two_pass,
            # Only there something is said of them.
            fetch_sessions=json_output or bool(verbose),
            metrics=json_output or bool(verbose),
            key_log=keylog,
            max_ratio=limits.ratio,
            records_limit=limits.decompressed,
            tcp_limits=limits.tcp_limits(),
            call_limits=limits.call_limits(),
            tls_limits=limits.tls_limits(),
            message_limits=limits.message_limits(),
        )
        page(not no_pager and "-" not in files)
        terminal: Callable[[], LineFormat] = partial(terminal_format, time, verbose, time_of, wide, no_header)
        order = None
        if sort:
            from kafkasniff.cli.showing.sorting import RequestOrder

            ordered, above = ordered_format(time, verbose, wide, no_header)
            order = RequestOrder(above if columns is None and not json_output and form in (None, "table") else None)
            terminal = lambda: ordered  # noqa: E731
        lines = chosen_format(
            form,
            columns,
            json_output,
            time,
            time_of,
            wide,
            no_header,
            terminal,
            {"--verbose": verbose, "--records": records, "--connections": connections},
        )
        usable = 1
        if jobs > 1 and limit is None and write is None and order is None and otlp is None:
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

                    lines = with_spans(lines, exporting(otlp, True, stack), json_output)
                comments = None
                if write is not None:
                    from kafkasniff.cli.showing.comments import PacketComments

                    comments = PacketComments(verbose, write_secrets)
                    stack.callback(comments.close)
                showing = Showing(reading, wanted, lines, limit, comments=comments, order=order)
                showing.run(flush_batches="-" in files)
                if write is not None:
                    showing.write_packets(files, write, write_secrets)
    except CaptureError as error:
        print_message(f"kafkasniff: {error}")
        raise typer.Exit(ExitStatus.FAILED) from None
    if reading.summary.damages:
        raise typer.Exit(ExitStatus.FAILED)
