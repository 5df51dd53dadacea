"""The help of commands: options under several headings, arguments by their names alone."""

import os
import shlex
import sys
from typing import Any

from typer.core import TyperCommand, TyperGroup

from kafkasniff.cli.exit_status import ExitStatus

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
            ctx.fail(f"{args[0]!r} is no command. To show the calls in it: kafkasniff read {shlex.quote(args[0])}")
        return super().resolve_command(ctx, args)


class GroupedCommand(TyperCommand):
    """A command whose options stand in the help under the heading that each names (`rich_help_panel`)."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and then the options by heading; those without one come first."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                # Typer adds Python's name of the type.
                groups["Arguments"].append((record[0].partition(" ")[0], record[1]))
            else:
                heading = getattr(parameter, "rich_help_panel", None) or "Options"
                groups.setdefault(heading, []).append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Give the parts of the usage line; Typer has braces around the names of arguments that must be given."""
        return [piece.translate(_BRACES) for piece in super().collect_usage_pieces(ctx)]
