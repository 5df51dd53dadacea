"""The first calls on the terminal, before Textual is imported, which takes longer than to read them."""

import os
import time
from typing import TextIO

from kafkasniff.browse.lines import ListLines
from kafkasniff.browse.session import Session
from kafkasniff.render.colours import Colours

_ENTER, _LEAVE = "\x1b[?1049h\x1b[H\x1b[2J", "\x1b[?1049l"
"""The alternate screen, as Textual takes it too."""
_WAIT_S = 0.5
_STEP_S = 0.001
_MARGIN = 2
"""Columns of marks, as in the list."""


def show_first(session: Session, time_mode: str, colours: Colours, stream: TextIO) -> None:
    """Write the first lines of a list, as far as they come within half a second."""
    columns, lines = os.get_terminal_size(stream.fileno())
    wanted = lines - 2
    until = time.monotonic() + _WAIT_S
    while not session.done and session.count() < wanted and time.monotonic() < until:
        time.sleep(_STEP_S)
        session.poll()
    numbers = session.numbers(0, wanted)
    if not numbers:
        return
    made = ListLines(session.kept, columns - _MARGIN - 1, time_mode, colours)
    made.count_from(session.first_time or 0)
    made.learn(session.telling)
    shown = [made.titles(session.first_time or 0), *(made.line(session.kept.call(number))[0] for number in numbers)]
    stream.write(_ENTER + "".join(f"{' ' * _MARGIN}{line}\r\n" for line in shown))
    stream.flush()


def leave(stream: TextIO) -> None:
    """Give the terminal back."""
    stream.write(_LEAVE)
    stream.flush()
