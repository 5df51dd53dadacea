"""Remember the JSON of array elements: a cluster's partitions and configs come again, byte by byte, in its answers."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple
from weakref import WeakSet

import orjson

PREFIX_BYTES: Final = 48
"""Elements are found by so many bytes from their first on; the last of these may lie behind a short one."""

FEWEST: Final = 8
"""Elements of the shortest array in which they are looked for."""

MOST_BYTES: Final = 16 << 20
"""About what all remembered elements may take; when it is more, all are forgotten."""

_ENTRY_BYTES: Final = 500
"""About what an element takes beside its bytes and its text."""

_MOST_ALIKE: Final = 4
"""Elements with the same prefix that are remembered."""

_JUDGED: Final = 1_000
"""Elements that must not have come before until an array is judged."""


class Element(NamedTuple):
    """An element without error codes that came before."""

    data: bytes
    """Its bytes on the wire."""
    text: orjson.Fragment
    size: int
    """Of its bytes."""
    inside: tuple[int, tuple[str, ...]] | None
    """The number of elements of the arrays in it, and the topic ids; None where there are neither."""


Find = Callable[[bytes, tuple[Element, ...]], tuple[Element, ...]]
"""Gives the elements that may come behind a prefix, else its second argument."""


class ElementMemory:
    """Those elements of one array, in one version of one message, that came before."""

    __slots__ = ("__weakref__", "_known", "_looked_for", "_misses", "_worthwhile")

    def __init__(self) -> None:
        """Begin with none."""
        self._known: dict[bytes, tuple[Element, ...]] = {}
        self._looked_for = 0
        self._misses = 0
        self._worthwhile = True
        _ALL.memories.add(self)

    def finder(self, count: int) -> Find | None:
        """Give what finds elements for an array of `count`; None where they are better decoded."""
        if count < FEWEST or not self._worthwhile:
            return None
        self._looked_for += count
        return self._known.get

    def put(
        self, data: bytes, start: int, end: int, value: dict[str, Any], elements: int, topic_ids: list[str]
    ) -> orjson.Fragment:
        """Remember the element in `data[start:end]`; give its JSON."""
        self._misses += 1
        text = orjson.dumps(value)
        _ALL.make_room(end - start + len(text) + _ENTRY_BYTES)
        fragment = orjson.Fragment(text)
        if self._worthwhile:
            inside = (elements, tuple(topic_ids)) if elements or topic_ids else None
            element = Element(data[start:end], fragment, end - start, inside)
            prefix = data[start : start + PREFIX_BYTES]
            self._known[prefix] = (element, *self._known.get(prefix, ())[: _MOST_ALIKE - 1])
        return fragment

    def forget(self) -> None:
        """Forget all, for good where most of what was looked for was not there."""
        self._known.clear()
        if self._misses >= _JUDGED and 2 * self._misses > self._looked_for:
            self._worthwhile = False
        self._looked_for = self._misses = 0


class _AllMemories:
    """What keeps them within their bound."""

    def __init__(self) -> None:
        self.memories: WeakSet[ElementMemory] = WeakSet()
        self._bytes_held = 0

    def make_room(self, size: int) -> None:
        """Make room for an element that takes `size` bytes."""
        if self._bytes_held + size > MOST_BYTES:
            for memory in self.memories:
                memory.forget()
            self._bytes_held = 0
        self._bytes_held += size


_ALL = _AllMemories()
