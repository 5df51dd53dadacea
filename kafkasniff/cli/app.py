"""The command line: its subcommands and what they have in common."""

from typing import Annotated

import typer

from kafkasniff.cli import apis, diagnose, errors, explain, live, pipeline, read
from kafkasniff.cli.help import Commands, GroupedCommand

EXAMPLES = """\b
Examples:
  kafkasniff read capture.pcap
  kafkasniff read capture.pcap --errors
  kafkasniff read capture.pcap --json --api metadata
  kafkasniff diagnose capture.pcap
  kafkasniff live eth0
  tcpdump -i eth0 -U -w - port 9092 | kafkasniff read -
"""

# Without rich's markup the help costs a third of the time to show; without its tracebacks an error stays one line.
app = typer.Typer(
    name="kafkasniff",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("read", cls=GroupedCommand, epilog=read.EXAMPLES)(read.read)
app.command("live", cls=GroupedCommand, epilog=live.EXAMPLES)(live.live)
app.command("diagnose", cls=GroupedCommand, epilog=diagnose.EXAMPLES)(diagnose.diagnose)
app.command("pipeline", cls=GroupedCommand, epilog=pipeline.EXAMPLES)(pipeline.pipeline)
app.command("explain", cls=GroupedCommand, epilog=explain.EXAMPLES)(explain.explain)
app.command("apis", cls=GroupedCommand, epilog=apis.EXAMPLES)(apis.apis)
# A code may be negative: -1 is no option.
app.command("errors", cls=GroupedCommand, epilog=errors.EXAMPLES, context_settings={"ignore_unknown_options": True})(
    errors.errors
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"kafkasniff {version('kafkasniff')}")
        except PackageNotFoundError:
            typer.echo("kafkasniff, run from its source without installation")
        raise typer.Exit


@app.callback()
def kafkasniff(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Show what Kafka clients and brokers really say to each other, from captures of their traffic."""
