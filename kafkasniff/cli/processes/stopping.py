"""Ends what goes on without end when the user says so."""

import signal
from collections.abc import Callable
from types import FrameType


class Stopping:
    """Ends it when the first SIGINT or SIGTERM comes; a second one finds what was there before."""

    def __init__(self, stop: Callable[[], None]) -> None:
        """Call `stop` then."""
        self.signal: int | None = None
        self._stop = stop
        self._before = {number: signal.signal(number, self._handle) for number in (signal.SIGINT, signal.SIGTERM)}

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        self.signal = number
        self._stop()
        for each, handler in self._before.items():
            signal.signal(each, handler)
