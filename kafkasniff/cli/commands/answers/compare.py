"""`kafkasniff compare`: what differs between two captures."""

from typing import Annotated

import typer

from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.selection import Selection, with_selection

EXAMPLES = """\b
Examples:
  kafkasniff compare before.pcap after.pcap
  kafkasniff compare before.pcap after.pcap --api fetch --json
"""

_SIDES = ("before", "after")
_QUESTIONS = ("calls", "errors", "clients", "settings")


@with_selection
def compare(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A capture.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Another one, such as of after a deploy.")],
    json_output: options.JsonOutput = False,
    csv_output: options.CsvOutput = False,
    *,
    selection: Selection,
) -> None:
    """Say what differs between two captures. It compares calls by API and version, latency, errors, clients, software
    and settings.
    """
    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import database_for, form_of, print_answer
    from kafkasniff.cli.terminal.output import print_text
    from kafkasniff.cli.terminal.pager import page
    from kafkasniff.questions.named import keyed, text_of

    form = form_of(json_output, csv_output)
    stats = keyed("stats", ["api_name", "api_version"])
    questions = {name: text_of(f"compare_{name}") for name in _QUESTIONS}
    captures = []
    with database_for() as database:
        for side, file in zip(_SIDES, (before, after), strict=True):
            captures.append(load(database, [file], " ".join((stats, *questions.values())), selection, ["calls"]))
            database.run(f"ALTER TABLE calls RENAME TO calls_{side}")
            database.run(f"CREATE TABLE stats_{side} AS {stats.replace('FROM calls', f'FROM calls_{side}')}")
        page()
        for number, (name, text) in enumerate(questions.items()):
            if form == "table":
                print_text(("\n" if number else "") + f"{name}\n")
            elif form == "csv" and number:
                print_text("\n")
            print_answer(database.ask(f"SELECT '{name}' AS about, * FROM ({text})" if form == "json" else text), form)
        for capture in captures:
            capture.say_closing()
