"""The command line: its subcommands and what they have in common."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options.arguments import with_optional_values
from kafkasniff.cli.options.formatting import Commands, GroupedCommand
from kafkasniff.cli.terminal.output import print_message

GROUPS = {
    "calls": {
        "read": "Show the calls in captures: requests with their responses.",
        "show": "Show single calls whole.",
        "live": "Show the calls on network interfaces as they end.",
        "browse": "Browse calls on a screen, also while they come.",
    },
    "answers": {
        "diagnose": "Say what clients and brokers do wrong, why, and what to change.",
        "stats": "Count calls, failures, bytes and times by what you ask for.",
        "who": "Say who produces to and consumes from which topic.",
        "audit": "Check clients against another release of Kafka, and for security and costs.",
        "compare": "Say what differs between two captures.",
        "sql": "Ask calls, errors, findings, clients ... in SQL (DuckDB's).",
    },
    "files": {
        "tables": "Write calls, errors, findings ... as tables.",
        "report": "Write one HTML file with findings, plots, tables and calls.",
        "scrub": "Write a capture anew without names, addresses and record contents.",
        "pipeline": "Turn directories of captures into Parquet tables, on Spark.",
    },
    "reference": {
        "explain": "Say what a rule or an error means, and how to fix it.",
        "apis": "List Kafka's APIs, their versions, and the layouts of their messages.",
        "errors": "Say what Kafka's error codes mean, and what usually causes them.",
        "help": "Explain filters, output, totals, capture, bounds, or a command.",
    },
}
"""The commands, by folder: each is the function of its name in the module of its name. With how its help begins."""

COMMANDS = {name: folder for folder, commands in GROUPS.items() for name in commands}
"""The folder of each command."""

_OPTIONS = ("--help", "-h", "--version", "--show-completion")
"""Options of the command line itself, which need no command."""

SHELLS = ("bash", "zsh", "fish", "powershell")
COMPLETE_VARIABLE = "_KAFKASNIFF_COMPLETE"

EXAMPLES = """\b
Examples:
  kafkasniff read capture.pcap
  kafkasniff read capture.pcap --errors
  kafkasniff read capture.pcap --json --api metadata
  kafkasniff diagnose capture.pcap
  kafkasniff live eth0
  tcpdump -i eth0 -U -w - port 9092 | kafkasniff read -
"""


_USAGE_ERROR: Any = typer.BadParameter.__bases__[0]
"""What the parser raises for a command line that is wrong; typer's versions have it in different places."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from kafkasniff import __version__
        from kafkasniff.compiled import is_compiled, stale_modules

        how = "compiled" if is_compiled() else "not compiled"
        if stale := stale_modules():
            how += f"; older than their sources: {', '.join(stale)}; compile them with tools/compile_engine.py"
        typer.echo(f"kafkasniff {__version__} ({how})")
        raise typer.Exit


def _print_completion(shell: str | None) -> None:
    if shell is not None:
        from typer._completion_shared import get_completion_script

        if shell not in SHELLS:
            raise typer.BadParameter(f"{shell!r} is none of {', '.join(SHELLS)}.")
        typer.echo(get_completion_script(prog_name="kafkasniff", complete_var=COMPLETE_VARIABLE, shell=shell))
        raise typer.Exit


def kafkasniff(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    completion: Annotated[
        str | None,
        typer.Option(
            "--show-completion",
            metavar="|".join(SHELLS),
            callback=_print_completion,
            is_eager=True,
            show_default=False,
            help="Print a script for the shell's completion; `source` it, or put it where the shell looks.",
        ),
    ] = None,
) -> None:
    """Show what Kafka clients and brokers really say to each other, from captures of their traffic."""


def command_line(arguments: Sequence[str] = ()) -> typer.Typer:
    """Give the command line; where `arguments` begin with a command, with this one alone."""
    # Without rich's markup the help costs a third of the time to show; without its tracebacks an error stays one line.
    app = typer.Typer(
        name="kafkasniff",
        cls=Commands,
        callback=kafkasniff,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        # Typer's own options write to ~/.bashrc, also where what follows them is no shell.
        add_completion=False,
        epilog=EXAMPLES,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    if COMPLETE_VARIABLE in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
    if arguments and arguments[0] in _OPTIONS:
        # To list them takes a third of the time if it does not make them.
        for commands in GROUPS.values():
            for name, text in commands.items():
                app.command(name, short_help=text)(_nothing)
        return app
    # A small capture is read about as fast as all commands are made.
    for name in [each for each in COMMANDS if each in arguments[:1]] or COMMANDS:
        module = import_module(f"kafkasniff.cli.commands.{COMMANDS[name]}.{name}")
        # A code may be negative: -1 is no option.
        settings = {"ignore_unknown_options": True} if name == "errors" else None
        command = app.command(
            name,
            cls=GroupedCommand,
            short_help=GROUPS[COMMANDS[name]][name],
            epilog=module.EXAMPLES,
            context_settings=settings,
        )
        command(getattr(module, name))
    return app


def _nothing() -> None:
    """Stand for a command in their list."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line and give its exit status."""
    try:
        given = with_optional_values(arguments)
        return command_line(given)(given, prog_name="kafkasniff", standalone_mode=False) or ExitStatus.OK
    except _USAGE_ERROR as error:
        if error.ctx is not None:
            print(error.ctx.get_usage(), file=sys.stderr)
            print_message(f"Try '{error.ctx.command_path} --help' for help.")
        # Those of expressions have lines of their own, which show the place.
        for line in f"Error: {error.format_message()}".split("\n"):
            print_message(line)
        return ExitStatus.USAGE
