# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""The bounds of the calls layer."""

from typing import NamedTuple


class CallLimits(NamedTuple):
    """Bounds with defaults that a laptop stands; what runs into one is reported, never dropped in silence."""

    kept_message_bytes: int = 128 << 20
    """Bytes of one message that are kept; of a larger message the header, the sizes and a problem are shown."""
    largest_message_bytes: int = 1 << 30
    """A size prefix above this is taken for damage, not for a message."""
    search_bytes: int = 2 << 20
    """Bytes of one direction that are held while a frame boundary is searched for."""
    undecided_bytes: int = 32 << 20
    """Bytes after which a connection that has given no evidence of Kafka is given up."""
    held_in_all: int = 144 << 20
    """Bytes that all connections hold together: of unfinished messages, of waiting requests, and in searches."""
    pending_calls: int = 100_000
    """Requests of one connection that wait for their answers."""
    pending_bytes: int = 128 << 20
    """Bytes of the requests of one connection that wait for their answers."""
    pending_ns: int = 330_000_000_000
    """How long a request waits for its answer, where `Engine.tick` tells the time: JoinGroup waits for as long as
    max.poll.interval.ms says, 5 minutes as a rule."""


class Budget:
    """What all connections together hold, against a limit that they keep by holding less when it is used up.

    It also counts which limits of single connections were reached.
    """

    __slots__ = ("_held", "_limit", "_reached")

    def __init__(self, limit: int) -> None:
        """Allow `limit` bytes."""
        self._limit = limit
        self._held = 0
        self._reached: dict[str, int] = {}

    @property
    def left(self) -> bool:
        """Tell whether more may be held."""
        return self._held < self._limit

    def reach(self, text: str | None = None) -> None:
        """Count that bytes were let go because of the limit, or what another limit did, in words."""
        text = text or f"bytes let go: all connections together held more than {self._limit >> 20} MiB"
        self._reached[text] = self._reached.get(text, 0) + 1

    def notes(self) -> list[str]:
        """Give which limits were reached, in sentences."""
        return [f"{text}: {count:,}" for text, count in self._reached.items()]

    def take(self, count: int) -> None:
        """Count `count` bytes as held."""
        self._held += count

    def give_back(self, count: int) -> None:
        """Count `count` bytes as let go."""
        self._held -= count
