"""A line on standard error that says how far a reading is."""

import sys
import time
from typing import TYPE_CHECKING

from kafkasniff.render.terminal import message_width
from kafkasniff.render.words import count_text, shorten, size_text

if TYPE_CHECKING:
    from kafkasniff.listening import Listening
    from kafkasniff.reading import Reading

PROGRESS_SECONDS = 0.5


class Progress:
    """Draws the line anew now and then, where nothing else is written to the terminal meanwhile."""

    def __init__(self, reading: "Reading | Listening", writes_lines: bool = True) -> None:
        """Follow a reading; `writes_lines`: standard output is written to while it goes on."""
        self._reading = reading
        self._wanted = sys.stderr.isatty() and not (writes_lines and sys.stdout.isatty())
        self._began = time.monotonic()
        self._next = self._began + PROGRESS_SECONDS
        self._drawn = False

    def report(self) -> None:
        """Draw the line, if it is time."""
        now = time.monotonic()
        if not self._wanted or now < self._next:
            return
        text = shorten(progress_text(self._reading, now - self._began), (message_width() or 80) - 1)
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
        self._next = now + PROGRESS_SECONDS
        self._drawn = True

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def progress_text(reading: "Reading | Listening", seconds: float) -> str:
    """Give how far a reading is after some time: its share, rate and time left, where its size is known."""
    summary = reading.summary
    seen = f"{count_text(summary.packets, 'packet')}, {count_text(summary.counts.calls, 'call')}"
    done, size = reading.bytes_read()
    if not done or not seconds:
        return seen
    if size is None:
        return f"{seen}, {size_text(round(done / seconds))}/s"
    return f"{share_text(done, size, seconds)}: {seen}"


def share_text(done: int, size: int, seconds: float) -> str:
    """Give the share of bytes that was read in some time, the rate and the time left; nothing before there is one."""
    if not done or not seconds:
        return ""
    rate = done / seconds
    minutes, left = divmod(round(max(size - done, 0) / rate), 60)
    return f"{min(done / size, 1):4.0%} of {size_text(size)}, {size_text(round(rate))}/s, {minutes}:{left:02} left"
