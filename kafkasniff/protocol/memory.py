"""Remember what came of small messages: heartbeats, empty answers and metadata come again and again, byte by byte."""

from typing import Final, Generic, TypeVar

LONGEST: Final = 1024
"""Bytes of the longest message that is remembered."""

MOST: Final = 8192
"""Most messages remembered, of all layouts together; more than these, and all are forgotten."""

_TRIES: Final = 256
"""Messages after which a layout is judged."""

_RARE: Final = 8
"""A layout of whose messages fewer than one in this many came before is remembered no more."""

Result = TypeVar("Result")

_results: dict[tuple[object, bytes], object] = {}


class Memory(Generic[Result]):
    """Results for the messages of one layout: of one API, version and side, and whatever else makes the result."""

    __slots__ = ("_hits", "_misses", "worthwhile")

    def __init__(self) -> None:
        """Begin with nothing."""
        self._hits = 0
        self._misses = 0
        self.worthwhile = True
        """False once few messages came again."""

    def get(self, message: bytes) -> Result | None:
        """Give the result for a message, None where it is not known."""
        result = _results.get((self, message))
        if result is None:
            self._misses += 1
            if self._misses >= _TRIES and self._hits * (_RARE - 1) < self._misses:
                self.worthwhile = False
            return None
        self._hits += 1
        return result  # type: ignore[return-value]

    def put(self, message: bytes, result: Result) -> None:
        """Remember the result for a message, unless it is long."""
        if self.worthwhile and len(message) <= LONGEST:
            if len(_results) >= MOST:
                _results.clear()
            _results[self, message] = result
