"""The terminal that output goes to, if it goes to one: directly, or through a pager."""

import os
import sys
from collections.abc import Sequence
from typing import TextIO

FILE_WIDTH = 100
"""Characters of a line of running text where output is no terminal's."""
NARROWEST = 60
WIDEST = 120
"""Longer lines of running text are hard to read."""

_DUMB = ("dumb", "unknown")

_paged: list[TextIO] = []
"""Streams that go to a terminal through a pager."""


def use_pager(columns: int, streams: Sequence[TextIO]) -> None:
    """Note that streams go to a terminal of that width through a pager."""
    _paged.extend(streams)
    os.environ["COLUMNS"] = str(columns)


def is_terminal(stream: TextIO) -> bool:
    """Tell whether what is written there is shown on a terminal."""
    return stream.isatty() or stream in _paged


def is_coloured(stream: TextIO) -> bool:
    """Tell whether to colour what is written there: NO_COLOR, FORCE_COLOR and TERM are respected."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") not in _DUMB


def terminal_width() -> int | None:
    """Give how many characters a line of standard output has; None where it is no terminal, so that any has room."""
    return (_columns(sys.stdout) or 80) if is_terminal(sys.stdout) else None


def message_width() -> int | None:
    """Give the same of standard error."""
    return (_columns(sys.stderr) or 80) if is_terminal(sys.stderr) else None


def text_width() -> int:
    """Give how wide running text is set."""
    return max(min(_columns(sys.stdout) or FILE_WIDTH, WIDEST), NARROWEST)


def _columns(stream: TextIO) -> int:
    """Give what COLUMNS says, else what the terminal does; 0 where neither does."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) < 6 and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0
