"""Options that every command has."""

import os
from typing import Any

from typer.core import TyperOption

from kafkasniff.cli.options.values import one_of, starting_with
from kafkasniff.cli.terminal.pager import forbid_pager

COLOUR_MODES: dict[str, dict[str, str]] = {"auto": {}, "always": {"FORCE_COLOR": "1"}, "never": {"NO_COLOR": "1"}}
"""What `--color` takes, as the variables that say the same: what is started from here goes by it too."""


def options_of_every_command(heading: str) -> list[TyperOption]:
    """Give the options; what they say is set when they are parsed, and the command's function does not take them."""
    return [
        TyperOption(
            param_decls=["--color"],
            default="auto",
            metavar="WHEN",
            callback=_set_colour,
            expose_value=False,
            autocompletion=lambda _context, _given, incomplete: starting_with([*COLOUR_MODES])(incomplete),
            help="Colour: always, never, or auto: by terminal, NO_COLOR and FORCE_COLOR.",
            rich_help_panel=heading,
        ),
        TyperOption(
            param_decls=["--no-pager"],
            is_flag=True,
            default=False,
            callback=_set_pager,
            expose_value=False,
            help="Do not show long output through a pager (PAGER, or less).",
            rich_help_panel=heading,
        ),
    ]


def _set_colour(_context: Any, _option: Any, mode: str) -> None:
    one_of([*COLOUR_MODES])(mode)
    if mode != "auto":
        for name in ("FORCE_COLOR", "NO_COLOR"):
            os.environ.pop(name, None)
        os.environ.update(COLOUR_MODES[mode])


def _set_pager(_context: Any, _option: Any, is_forbidden: bool) -> None:
    if is_forbidden:
        forbid_pager()
