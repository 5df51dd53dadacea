"""Remember what came of small messages: heartbeats, empty answers and metadata come again and again, byte by byte."""

from typing import Any, Final, Generic, TypeVar
from weakref import WeakSet

LONGEST: Final = 1024
"""Bytes of the longest message that is remembered."""

MOST: Final = 8192
"""Most messages remembered, of all layouts together; more than these, and all are forgotten."""

_TRIES: Final = 256
"""Messages after which a layout is judged."""

_RARE: Final = 8
"""A layout of whose messages fewer than one in this many came before is remembered no more."""

Result = TypeVar("Result")


class Memory(Generic[Result]):
    """Results for the messages of one layout: of one API, version and side, and whatever else makes the result."""

    __slots__ = ("__weakref__", "_known", "_misses", "_tries", "worthwhile")

    def __init__(self) -> None:
        """Begin with nothing."""
        self._known: dict[bytes, Result] = {}
        self._tries = 0
        self._misses = 0
        self.worthwhile = True
        """False once few messages came again."""
        _ALL.memories.add(self)

    def get(self, message: bytes) -> Result | None:
        """Give the result for a message, None where it is not known."""
        self._tries += 1
        result = self._known.get(message)
        if result is None:
            self._misses += 1
            if self._misses >= _TRIES and (self._tries - self._misses) * (_RARE - 1) < self._misses:
                self.worthwhile = False
                self.forget()
        return result

    def put(self, message: bytes, result: Result) -> None:
        """Remember the result for a message, unless it is long."""
        if self.worthwhile and len(message) <= LONGEST:
            _ALL.make_room()
            self._known[message] = result

    def forget(self) -> None:
        """Forget all results."""
        self._known.clear()


class _AllMemories:
    """What keeps them within their bound."""

    def __init__(self) -> None:
        self.memories: WeakSet[Memory[Any]] = WeakSet()
        self._held = 0

    def make_room(self) -> None:
        """Make room for one more result."""
        if self._held >= MOST:
            for memory in self.memories:
                memory.forget()
            self._held = 0
        self._held += 1


_ALL = _AllMemories()
