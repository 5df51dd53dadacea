"""Colours for terminal lines: rich decides whether and how, once; lines then use plain escape sequences."""

import os
from typing import NamedTuple, TextIO


class Colours(NamedTuple):
    """What to write before each part of a line, and after it (`off`); all empty where there is no colour."""

    time: str = ""
    server: str = ""
    api: str = ""
    client_id: str = ""
    slow: str = ""
    error: str = ""
    warning: str = ""
    note: str = ""
    off: str = ""


_STYLES = {
    "time": "dim",
    "server": "dim",
    "api": "bold cyan",
    "client_id": "blue",
    "slow": "yellow",
    "error": "bold red",
    "warning": "yellow",
    "note": "dim",
}

PLAIN = Colours()


def colours_for(stream: TextIO) -> Colours:
    """Give the colours for a stream; NO_COLOR, FORCE_COLOR, TERM and pipes are respected."""
    if not stream.isatty() and "FORCE_COLOR" not in os.environ:
        return PLAIN  # without importing rich
    from rich.console import Console
    from rich.style import Style

    console = Console(file=stream)
    if console.color_system is None or console.no_color:
        return PLAIN
    system = console._color_system
    marks = {
        name: Style.parse(style).render("|", color_system=system).partition("|")[0] for name, style in _STYLES.items()
    }
    return Colours(**marks, off="\x1b[0m")
