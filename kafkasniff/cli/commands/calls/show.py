"""`kafkasniff show`: single calls, whole."""

import sys
from typing import Annotated

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options.bounds import Bounds
from kafkasniff.cli.options.filters import Filters
from kafkasniff.cli.options.shape import Shape, with_shape_of_whole_calls

EXAMPLES = """\b
Examples:
  kafkasniff show capture.pcap 7                   call 7 of `read`'s list
  kafkasniff show capture.pcap 7 12-15 --context 3 and calls around them
  kafkasniff show capture.pcap --packet 47         the call in packet 47
  kafkasniff show capture.pcap 7 --findings        and what is found wrong with it
  kafkasniff show capture.pcap --correlation-id 42 --json
  kafkasniff show capture.pcap --where 'error and group == billing'
"""


@with_shape_of_whole_calls
def show(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... [NUMBER...]",
            help="Captures, and numbers of calls in them (`7`, `12-15`). Write `./7` for a file with such a name.",
        ),
    ],
    packet: Annotated[
        list[int] | None,
        typer.Option("--packet", metavar="N", min=1, help="Calls that this packet of a file carried a part of."),
    ] = None,
    correlation_id: Annotated[
        list[int] | None,
        typer.Option("--correlation-id", metavar="N", help="Calls with this correlation id."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="EXPRESSION", help="Calls for which this holds: `kafkasniff help filters`."),
    ] = None,
    context: Annotated[
        int,
        typer.Option(
            "--context",
            metavar="N",
            min=0,
            max=1000,
            help="Also the lines of N calls before and after on the connection.",
        ),
    ] = 0,
    findings: Annotated[
        bool,
        typer.Option("--findings", help="Also the findings that cite them; the whole capture is judged for it."),
    ] = False,
    *,
    shape: Shape,
) -> None:
    """Show single calls whole. Messages with offsets, bytes and packets; with --findings what is wrong with them."""
    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.cli.showing.chosen import Chosen, Wanted, numbers_in
    from kafkasniff.cli.showing.reading import json_format, terminal_format
    from kafkasniff.cli.terminal.output import Output, fail, print_message
    from kafkasniff.cli.terminal.pager import page
    from kafkasniff.reading import Reading
    from kafkasniff.render.closing import closing_line

    files = [argument for argument in arguments if numbers_in(argument) is None]
    numbers = [found for argument in arguments if (found := numbers_in(argument)) is not None]
    holds = Filters(where=where).filter() if where else None
    wanted = Wanted(tuple(numbers), frozenset(packet or ()), frozenset(correlation_id or ()), holds)
    if not files:
        raise typer.BadParameter("name a capture before the numbers.", param_hint="FILE")
    if wanted == Wanted():
        raise typer.BadParameter("say which: a number, --packet, --correlation-id or --where.", param_hint="NUMBER")
    if findings and shape.json_output:
        raise typer.BadParameter("JSON has calls alone; `diagnose --json` has findings.", param_hint="--findings")
    if "-" not in files:
        page()
    if shape.json_output:
        whole = line = json_format()
    else:
        shape = shape._replace(no_header=True)
        whole, line = terminal_format(shape._replace(verbose=2)), terminal_format(shape)
    limits = Bounds(shape.bounds)
    chosen = Chosen(wanted, whole, line, context)
    try:
        reading = Reading(
            files,
            show_secrets=shape.show_secrets,
            connections=True,
            keep_packets=True,
            records=shape.records,
            limit_value=shape.limit_value,
            key_log=shape.keylog,
            **limits.of_reading(),
        )
        chosen.read(reading, findings)
    except CaptureError as error:
        fail(error)
    output = Output(sys.stdout.buffer)
    for text in chosen.texts(says_more=not shape.json_output):
        output.write(text)
    output.flush()
    summary = reading.summary
    for note in (*summary.damages, *summary.notes, *summary.not_decrypted, *chosen.missing()):
        print_message(f"kafkasniff: {note}")
    print_message(closing_line(summary))
    if summary.damages or chosen.missing():
        raise typer.Exit(ExitStatus.FAILED)
