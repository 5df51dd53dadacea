"""`kafkasniff who`: who produces to, consumes from and commits offsets of which topic."""

from typing import Annotated

import typer

from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.selection import Selection, with_selection

EXAMPLES = """\b
Examples:
  kafkasniff who capture.pcap
  kafkasniff who *.pcapng --topic orders
  kafkasniff who capture.pcap --matrix
  kafkasniff who capture.pcap --unused
  kafkasniff who capture.pcap --json | jq 'select(.role == "produces")'
"""


@with_selection
def who(
    files: options.Files,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="One row a client, one column a topic: what it does, and its calls.")
    ] = False,
    unused: Annotated[
        bool, typer.Option("--unused", help="Topics that groups subscribe to and nobody in them fetched.")
    ] = False,
    json_output: options.JsonOutput = False,
    csv_output: options.CsvOutput = False,
    *,
    selection: Selection,
) -> None:
    """Say who produces to and consumes from which topic. Also who commits offsets of it."""
    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import database_for, form_of, print_answer
    from kafkasniff.cli.showing.matrix import matrix_of
    from kafkasniff.cli.terminal.pager import page
    from kafkasniff.filters.short_forms import fits
    from kafkasniff.questions.named import text_of

    if matrix and unused:
        raise typer.BadParameter("expected one of --matrix and --unused, found both.", param_hint="--unused")
    text = text_of("unused" if unused else "who")
    wanted = ["calls", "group_events"] if unused else ["calls", "batches", "partitions"]
    with database_for() as database:
        capture = load(database, files, text, selection, wanted)
        # A call names other topics beside those that are asked for.
        asked = selection.filters.topic or []
        rows = database.ask(f"SELECT DISTINCT topic FROM ({text})").rows if asked else []
        named = [topic for (topic,) in rows if topic is not None and fits(asked, topic)]
        where = f" WHERE topic IN ({', '.join('?' for _ in named) or 'NULL'})" if asked else ""
        answer = database.ask(f"SELECT * FROM ({text}){where}", named)
        page()
        print_answer(matrix_of(answer) if matrix else answer, form_of(json_output, csv_output))
        capture.say_closing()
