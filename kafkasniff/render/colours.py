"""Colours for terminal lines, as escape sequences (ECMA-48, SGR)."""

from typing import NamedTuple, TextIO

from kafkasniff.render.terminal import is_coloured


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


PLAIN = Colours()

_COLOURED = Colours(
    time="\x1b[2m",
    server="\x1b[2m",
    api="\x1b[1;36m",
    client_id="\x1b[34m",
    slow="\x1b[33m",
    error="\x1b[1;31m",
    warning="\x1b[33m",
    note="\x1b[2m",
    off="\x1b[0m",
)


def colours_for(stream: TextIO) -> Colours:
    """Give the colours for a stream; NO_COLOR, FORCE_COLOR, TERM and pipes are respected."""
    return _COLOURED if is_coloured(stream) else PLAIN
