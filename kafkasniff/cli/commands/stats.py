"""`kafkasniff stats`: how many calls, how many failed, how long they took."""

from typing import Annotated

import typer

from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.selection import Selection, with_selection

EXAMPLES = """\b
Examples:
  kafkasniff stats capture.pcap
  kafkasniff stats capture.pcap --by server,api_name --sort p99_ms --top 10
  kafkasniff stats *.pcapng --by topic --api produce --json
  kafkasniff stats capture.pcap --by client_id,error --errors
"""

_LISTED = ("api_name", "server", "client_id", "topic", "error")
"""Keys of the tables that are shown where none is asked for."""

MEASURES = ("calls", "failed", "unanswered", "request_bytes", "response_bytes", "p50_ms", "p90_ms", "p99_ms", "max_ms")


@with_selection
def stats(
    files: options.Files,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="KEY[,KEY...]", help="Columns of `calls`, or topic, group, error."),
    ] = None,
    sort: Annotated[str, typer.Option("--sort", metavar="COLUMN", help="The largest of this first.")] = "calls",
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", min=1, show_default=False, help="Only the first N.")
    ] = None,
    json_output: options.JsonOutput = False,
    csv_output: options.CsvOutput = False,
    *,
    selection: Selection,
) -> None:
    """Count calls, failures, bytes and times by what you ask for: API, server, client, topic, error, ..."""
    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import columns_or_usage, database_for, form_of, print_answer
    from kafkasniff.cli.terminal.output import print_text
    from kafkasniff.questions.database import quoted
    from kafkasniff.questions.named import KEYS, keyed

    form = form_of(json_output, csv_output)
    if sort not in MEASURES:
        raise typer.BadParameter(f"{sort!r} is none of {', '.join(MEASURES)}.", param_hint="--sort")
    asked = [columns_or_usage(by, KEYS)] if by is not None else [[key] for key in _LISTED]
    if by is None and form != "table":
        asked = asked[:1]
    texts = [
        f"{keyed('stats', keys)} ORDER BY {quoted(sort)} DESC NULLS LAST, {', '.join(map(quoted, keys))}"
        + (f" LIMIT {top}" if top is not None else "")
        for keys in asked
    ]
    with database_for() as database:
        capture = load(database, files, " ".join(texts), selection, ["calls"])
        for number, text in enumerate(texts):
            if number:
                print_text("\n")
            print_answer(database.ask(text), form)
        capture.say_closing()
