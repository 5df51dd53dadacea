"""`kafkasniff audit`: which client uses which versions, and what brokers of another release refuse."""

from typing import TYPE_CHECKING, Annotated

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.selection import Selection, with_selection
from kafkasniff.cli.options.values import none_of

if TYPE_CHECKING:
    from kafkasniff.questions.database import Database

EXAMPLES = """\b
Examples:
  kafkasniff audit capture.pcap
  kafkasniff audit *.pcapng --target 4.1 --refused
  kafkasniff audit capture.pcap --target 4.0 --json | jq 'select(.refused)'
  kafkasniff audit capture.pcap --fail-on-refused
  kafkasniff audit capture.pcap --about security --format markdown
  kafkasniff audit capture.pcap --about tls --fail-on-refused
  kafkasniff audit capture.pcap --about cost
  kafkasniff audit capture.pcap --about racks
"""

_BAD = {"security": "cleartext", "tls": "expiring OR outdated"}
"""What ends with a status, beside versions that are too old."""
_ABOUT = {
    "versions": ("calls",),
    "security": ("calls", "connections", "logins"),
    "tls": ("connections",),
    "cost": ("batches",),
    "racks": ("calls", "brokers"),
}
"""What can be asked about, and of which tables."""


@with_selection
def audit(
    files: options.Files,
    target: Annotated[
        str, typer.Option("--target", metavar="RELEASE", help="The release of Kafka that brokers are to have.")
    ] = "4.0",
    refused: Annotated[bool, typer.Option("--refused", help="Only what brokers of that release refuse.")] = False,
    fail: Annotated[
        bool,
        typer.Option(
            "--fail-on-refused",
            help="Exit with 3 where a version is too old; with --about security, where a client speaks in clear; with"
            " --about tls, where TLS is older than 1.2 or a certificate ends within 30 days.",
        ),
    ] = False,
    about: Annotated[
        str,
        typer.Option(
            "--about",
            metavar="|".join(_ABOUT),
            help="Versions that the release refuses; who speaks in clear; TLS and certificates; what batches cost;"
            " fetches across racks.",
        ),
    ] = "versions",
    form: Annotated[
        str, typer.Option("--format", metavar="table|csv|json|markdown", help="How the answer is printed.")
    ] = "table",
    json_output: options.JsonOutput = False,
    csv_output: options.CsvOutput = False,
    *,
    selection: Selection,
) -> None:
    """Check clients against another release of Kafka, and for security and costs."""
    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import MARKDOWN, check_format, database_for, form_of, print_answer
    from kafkasniff.cli.terminal.output import print_message
    from kafkasniff.cli.terminal.pager import page
    from kafkasniff.questions.named import text_of
    from kafkasniff.questions.releases import fill_target, release_of

    form = form_of(json_output, csv_output) if json_output or csv_output else check_format(form, MARKDOWN)
    if about not in _ABOUT:
        raise none_of(about, _ABOUT, "--about")
    release = release_of(target)
    if release is None:
        from kafkasniff.protocol.api_releases import RELEASES

        raise none_of(target, RELEASES, "--target")
    text = text_of("audit" if about == "versions" else about)
    count = 0
    with database_for() as database:
        capture = load(database, files, text, selection, _ABOUT[about])
        if about == "versions":
            fill_target(database, release)
        where = " WHERE refused" if refused and about == "versions" else ""
        page()
        print_answer(database.ask(f"SELECT * FROM ({text}){where}"), form)
        if about in _BAD:
            [(count,)] = database.ask(f"SELECT count(*) FROM ({text}) WHERE {_BAD[about]}").rows
        elif about == "versions":
            [(count, newer)] = database.ask(
                f"SELECT count(*) FILTER (refused), count(*) FILTER (steps_down) FROM ({text})"
            ).rows
            if form == "table":
                print_message(
                    f"Kafka {release} refuses {count:,} of these as too old."
                    + (f" From {newer:,} newer ones clients step down to versions that it has." if newer else "")
                )
        if about == "tls":
            _say_what_lacks(database)
        capture.say_closing()
    if fail and count:
        raise typer.Exit(ExitStatus.FINDINGS)


def _say_what_lacks(database: "Database") -> None:
    """Say why no certificates are shown where what reads them is not installed."""
    from importlib.util import find_spec

    from kafkasniff.cli.terminal.output import print_message

    [(count,)] = database.ask("SELECT count(*) FROM connections WHERE tls_decrypted IS NOT NULL").rows
    if count and find_spec("cryptography") is None:
        lacks = "the package cryptography is not installed: pip install 'kafkasniff[tls]'"
        print_message(f"kafkasniff: certificates were not read, so none is shown or expiring: {lacks}")
