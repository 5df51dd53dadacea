"""The help of commands: examples first, options that fit a screen, arguments by their names alone."""

import os
import sys
from typing import Any

from typer.core import TyperCommand, TyperGroup

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options.everywhere import options_of_every_command
from kafkasniff.render.wrapping import fold, paragraph

FILTERS, OUTPUT, TOTALS, CAPTURE = "Filters", "Output", "Totals", "Capture"
"""Headings of options that many commands have: topics of `kafkasniff help` explain them."""

_FEW = 4
"""So few options of such a heading are explained with the command itself."""
_BRACES = str.maketrans("", "", "{}")


class Commands(TyperGroup):
    """The commands, of which the user may have forgotten to name one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command; without any argument the help is shown, and it is an error."""
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help(), file=sys.stderr)
            ctx.exit(ExitStatus.USAGE)
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; where a capture stands in its place, say how to read it."""
        if self.get_command(ctx, args[0]) is None and os.path.exists(args[0]):
            from shlex import quote

            ctx.fail(f"{args[0]!r} is no command. To show the calls in it: kafkasniff read {quote(args[0])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands; Typer would cut what it says of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.short_help) for name, command in self.commands.items()])


class GroupedCommand(TyperCommand):
    """A command whose options under a heading of their own (`rich_help_panel`) have their text in a topic of `help`."""

    def __init__(self, *arguments: Any, params: list[Any], **others: Any) -> None:
        """Add the options of every command to its own."""
        super().__init__(*arguments, params=[*params, *options_of_every_command(OUTPUT)], **others)
        for parameter in self.params:
            # It stands in the error about a value that is none: "'x' is not a valid int range".
            if parameter.type.name == "int range":
                parameter.type.name = "whole number"

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write usage, description, examples and options."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_epilog(ctx, formatter)
        self.format_options(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        if self.epilog:
            formatter.write("\n" + fold(self.epilog.removeprefix("\b\n").rstrip(), formatter.width) + "\n")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and then the options; those of a topic by their names alone."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                # Typer adds Python's name of the type.
                groups["Arguments"].append((record[0].partition(" ")[0], record[1]))
            else:
                groups.setdefault(topic_of(parameter) or "Options", []).append(record)
        for topic in (FILTERS, OUTPUT, TOTALS):
            if len(groups.get(topic, ())) < _FEW:
                groups["Options"][-1:-1] = groups.pop(topic, ())  # before --help
        for heading in ("Arguments", "Options"):
            if records := groups.pop(heading):
                with formatter.section(heading):
                    formatter.write_dl(records)
        for topic, records in groups.items():
            with formatter.section(f"{topic} (`kafkasniff help {topic.lower()}`)"):
                names = " ".join(names.rpartition(", ")[2].replace(" ", "\0") for names, _ in records)
                indent = " " * formatter.current_indent
                formatter.write(paragraph(names, formatter.width, indent).replace("\0", " ") + "\n")

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Give the parts of the usage line; Typer has braces around the names of arguments that must be given."""
        return [piece.translate(_BRACES) for piece in super().collect_usage_pieces(ctx)]


def topic_of(parameter: Any) -> str | None:
    """Give the topic of `help` that explains an option, None for those that are explained with their command."""
    return getattr(parameter, "rich_help_panel", None)
