# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Bytes of a stream that no frame was cut from yet."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.limits import Budget
from kafkasniff.tcp.events import StreamData

if not cython.compiled:
    from kafkasniff.octets import part

_MOST_GONE = 64
"""Places of events that were cut whole, which the queue keeps at most before its other half."""


class UncutBytes:
    """A queue: the data of events goes in, its bytes come out in order."""

    __slots__ = ("_budget", "_events", "_head", "count", "start")

    def __init__(self, budget: Budget) -> None:
        """Begin with none; what is held counts against `budget`."""
        self._budget = budget
        self._events: list[StreamData] = []
        self._head = 0
        """Where in these the first event is that was not cut whole …"""
        self.start = 0
        """… and where in its data the next byte is."""
        self.count = 0
        """Bytes that are held."""

    def push(self, event: StreamData, start: int) -> None:
        """Take the bytes of an event from `start` on."""
        length = len(event.data) - start
        if not self.count:
            self.start = start
        elif start:
            event = event.with_data(part(event.data, start, start + length))
        self._events.append(event)
        self.count += length
        self._budget.take(length)

    def first(self) -> StreamData:
        """Give the event that has the next byte."""
        return self._events[self._head]

    def peek(self, count: int) -> bytes:
        """Give the next bytes, as many as there are up to `count`."""
        found, start = b"", self.start
        for event in self._events[self._head :]:
            found += event.data[start : start + count - len(found)]
            if len(found) == count:
                break
            start = 0
        return found

    def cut(self, most: int) -> bytes:
        """Take the next bytes away that the first event has, `most` of them at most; give them."""
        event = self.first()
        start = self.start
        data = event.data
        length = len(data) - start
        if length > most:
            length = most
            self.start = start + most
        else:
            self.pass_first()
        self.count -= length
        self._budget.give_back(length)
        return part(data, start, start + length) if start or length < len(data) else data

    def pass_over(self, length: int) -> None:
        """Take bytes away that the first event has."""
        if self.start + length == len(self.first().data):
            self.pass_first()
        else:
            self.start += length
        self.count -= length
        self._budget.give_back(length)

    def pass_first(self) -> None:
        """Let go of the first event."""
        self.start = 0
        self._head += 1
        if self._head == len(self._events):
            self._events = []
            self._head = 0
        elif self._head >= _MOST_GONE and 2 * self._head > len(self._events):
            del self._events[: self._head]
            self._head = 0

    def rest(self) -> list[tuple[StreamData, int]]:
        """Give the events, each with its first position that counts."""
        found = [(event, 0) for event in self._events[self._head :]]
        if found:
            found[0] = found[0][0], self.start
        return found

    def drop(self) -> int:
        """Let go of all; give how many bytes there were."""
        dropped = self.count
        self._budget.give_back(dropped)
        self._events = []
        self._head = 0
        self.count = 0
        return dropped
