# cython: language_level=3, annotation_typing=False, boundscheck=True
"""States by key, of which only so many are kept."""

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

MOST_KEYS = 10_000
"""Clients, groups, topics and so on that a rule remembers at once; the longest untouched is given up first."""
MOST_CONNECTIONS = 100_000
"""Open connections that are remembered at once."""

State = TypeVar("State")


@cython.final
@cython.freelist(64)
@cython.cclass
class Kept:
    """A state, and when it was last touched: by the number of touches before."""

    __slots__ = ("state", "touched")

    def __init__(self, state: Any, touched: int) -> None:
        """Keep a state."""
        self.state = state
        self.touched = touched


class AnyBounded:
    """What `Bounded` does: a class of C, which cannot say what it keeps."""

    __slots__ = ("_kept", "_looked", "_most", "_now", "_oldest", "evicted")

    REBUILT = ("_looked", "_oldest", "evicted")

    def __init__(self, most: int = MOST_KEYS, evicted: Callable[[Any, Any], None] | None = None) -> None:
        """Keep at most `most` states; `evicted` is told of each that has to go."""
        self._kept: dict[Hashable, Kept] = {}
        self._most = most
        self._now = 0
        """How often states were touched."""
        self.evicted = evicted
        self.rebuild()

    def rebuild(self) -> None:
        """Begin without what is found out anew."""
        self._oldest: list[Hashable] = []
        """Keys in the order in which they are to go, the first one last, as it was at `_looked`."""
        self._looked = 0

    def get(self, key: Hashable) -> Any:
        """Give the state of a key, None where there is none."""
        kept = self._kept.get(key)
        return kept.state if kept is not None else None

    def touch(self, key: Hashable, new: Callable[[], Any]) -> Any:
        """Give the state of a key, made by `new` when there is none, and note that it was used."""
        state = self.used(key)
        if state is None:
            state = new()
            self.put(key, state)
        return state

    def used(self, key: Hashable) -> Any:
        """Give the state of a key, None where there is none, and note that it was used."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._now += 1
        kept.touched = self._now
        return kept.state

    def put(self, key: Hashable, state: Any) -> None:
        """Set the state of a key."""
        kept = self._kept.get(key)
        self._now += 1
        if kept is not None:
            kept.state, kept.touched = state, self._now
            return
        self._kept[key] = Kept(state, self._now)
        if len(self._kept) > self._most:
            self._give_up()

    def _give_up(self) -> None:
        """Let go of the state that was not touched for the longest."""
        while True:
            if not self._oldest:
                # Sorted now and then, as nothing is moved when it is touched.
                self._oldest = sorted(self._kept, key=lambda key: -self._kept[key].touched)
                self._looked = self._now
            key = self._oldest.pop()
            kept = self._kept.get(key)
            if kept is not None and kept.touched <= self._looked:
                break
        del self._kept[key]
        if self.evicted is not None:
            self.evicted(key, kept.state)

    def pop(self, key: Hashable) -> Any:
        """Remove the state of a key and give it; None where there is none."""
        kept = self._kept.pop(key, None)
        return kept.state if kept is not None else None

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Give keys and states, the longest untouched first."""
        kept = sorted(self._kept.items(), key=lambda item: item[1].touched)
        return iter([(key, each.state) for key, each in kept])

    def __len__(self) -> int:
        """Give the number of states."""
        return len(self._kept)


class Bounded(AnyBounded, Generic[State]):
    """States by key; when there are too many, the one that was not touched for the longest goes."""

    __slots__ = ()

    if TYPE_CHECKING:  # what a C class cannot say

        def get(self, key: Hashable) -> State | None: ...  # noqa: D102
        def touch(self, key: Hashable, new: Callable[[], State]) -> State: ...  # noqa: D102
        def used(self, key: Hashable) -> State | None: ...  # noqa: D102
        def pop(self, key: Hashable) -> State | None: ...  # noqa: D102
        def items(self) -> Iterator[tuple[Any, State]]: ...  # noqa: D102
