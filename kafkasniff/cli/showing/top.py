"""The refreshing screen of totals: `kafkasniff live --top`."""

import shutil
import sys
import time
from collections import deque
from collections.abc import Sequence

from kafkasniff.cli.terminal.output import Output, print_message
from kafkasniff.diagnose.finding import Finding
from kafkasniff.listening import Listening
from kafkasniff.metrics.history import History
from kafkasniff.metrics.screen import top_lines
from kafkasniff.metrics.state import State
from kafkasniff.metrics.totals import Totals
from kafkasniff.render.colours import colours_for
from kafkasniff.render.words import shorten

REFRESH_SECONDS = 2.0
_MOST_MESSAGES = 20
_ENTER, _LEAVE = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"
"""The terminal's other screen, without its cursor (xterm's control sequences)."""
_HOME, _REST_OF_LINE, _REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"


class Top:
    """Draws the screen anew now and then; at the end the terminal is as it was."""

    shows_findings = True

    def __init__(self, title: str, seconds: float = REFRESH_SECONDS) -> None:
        """Draw each so many seconds, once it has begun."""
        self._title = title
        self._seconds = seconds
        self._messages: deque[str] = deque(maxlen=_MOST_MESSAGES)
        self._output = Output(sys.stdout.buffer)
        self._next = 0.0
        self._begun = False

    def begin(self, listening: Listening, totals: Totals, findings: Sequence[Finding]) -> None:
        """Take the terminal, and show what is counted from now on; `findings` has the latest at any time."""
        self._findings = findings
        self._listening = listening
        self._totals = totals
        self._history = History(totals.snapshot(), State.of(listening))
        self._begun = True
        self._output.write(_ENTER)
        self._draw()

    def say(self, text: str) -> None:
        """Show a message below the screen, and on standard error when the terminal is as it was."""
        if self._begun:
            self._messages.append(text)
        else:
            print_message(text)

    def look(self) -> None:
        """Draw the screen if it is time."""
        if time.monotonic() >= self._next:
            self._history.add(self._totals.snapshot(), State.of(self._listening))
            self._draw()

    def end(self) -> None:
        """Give the terminal back."""
        if self._begun:
            self._begun = False
            self._output.write(_LEAVE)
            self._output.flush()
            for text in self._messages:
                print_message(text)

    def _draw(self) -> None:
        width, height = shutil.get_terminal_size()
        told = [shorten(self._messages[-1], width)] if self._messages else []
        room = max(height - len(told), 1)
        lines = top_lines(self._history, self._findings, self._title, width, room, colours_for(sys.stdout))
        text = f"{_REST_OF_LINE}\n".join((*lines, *told))
        self._output.write(f"{_HOME}{text}{_REST_OF_LINE}{_REST_OF_SCREEN}".encode(errors="backslashreplace"))
        self._output.flush()
        self._next = time.monotonic() + self._seconds
