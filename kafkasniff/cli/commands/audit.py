"""`kafkasniff audit`: which client uses which versions, and what brokers of another release refuse."""

from typing import Annotated

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.selection import Selection, with_selection

EXAMPLES = """\b
Examples:
  kafkasniff audit capture.pcap
  kafkasniff audit *.pcapng --target 4.1 --refused
  kafkasniff audit capture.pcap --target 4.0 --json | jq 'select(.refused)'
  kafkasniff audit capture.pcap --fail-on-refused
"""


@with_selection
def audit(
    files: options.Files,
    target: Annotated[
        str, typer.Option("--target", metavar="RELEASE", help="The release of Kafka that brokers are to have.")
    ] = "4.0",
    refused: Annotated[bool, typer.Option("--refused", help="Only what brokers of that release refuse.")] = False,
    fail: Annotated[
        bool, typer.Option("--fail-on-refused", help="Exit with 3 where something would be refused.")
    ] = False,
    json_output: options.JsonOutput = False,
    csv_output: options.CsvOutput = False,
    *,
    selection: Selection,
) -> None:
    """Say which client uses which versions of which API, and what brokers of another release refuse of it."""
    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import database_for, form_of, print_answer
    from kafkasniff.cli.terminal.output import print_message
    from kafkasniff.questions.named import text_of
    from kafkasniff.questions.releases import fill_target, release_of

    release = release_of(target)
    if release is None:
        from kafkasniff.protocol.api_releases import RELEASES

        raise typer.BadParameter(f"{target!r} is none of {', '.join(RELEASES)}.", param_hint="--target")
    text = text_of("audit")
    with database_for() as database:
        capture = load(database, files, text, selection, ["calls"])
        fill_target(database, release)
        where = " WHERE refused" if refused else ""
        print_answer(database.ask(f"SELECT * FROM ({text}){where}"), form_of(json_output, csv_output))
        # A client that is newer than a broker asks it for its versions, and takes one that it has.
        too_old = "minimum IS NULL OR api_version < minimum"
        [(count, newer)] = database.ask(
            f"SELECT count(*) FILTER ({too_old}), count(*) FILTER (NOT ({too_old})) FROM ({text}) WHERE refused"
        ).rows
        if not json_output and not csv_output:
            print_message(
                f"Kafka {release} refuses {count:,} of these as too old"
                + (f", and {newer:,} as too new, of which clients choose others." if newer else ".")
            )
        capture.say_closing()
    if fail and count:
        raise typer.Exit(ExitStatus.FINDINGS)
