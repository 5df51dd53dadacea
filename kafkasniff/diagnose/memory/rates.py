# cython: language_level=3, annotation_typing=False, boundscheck=True
"""How often something happens: rates within windows, busy seconds, and trends."""

from collections import deque

from kafkasniff.tcp.events import Connection

SECOND = 1_000_000_000
"""Nanoseconds."""
MILLISECOND = 1_000_000
"""Nanoseconds."""
_LATE = 60
"""Seconds; what is older than this beside what came before it is of a clock that was set back, not known late."""


class Rate:
    """The most events within any window of a fixed length that have been seen, and the busy windows in a row."""

    __slots__ = ("_most", "_only", "_times", "_window", "peak")

    def __init__(self, window_ns: int, most: int) -> None:
        """Look for up to `most` events within `window_ns`; counts beyond are not told apart."""
        self._window = window_ns
        self._most = most
        self._only = 0
        """When the first came (ns)."""
        self._times: deque[int] | None = None
        """When the latest came, from the second on: many clients do a thing once."""
        self.peak = 0
        """The most events seen within a window, `most` at most."""

    def add(self, time: int) -> int:
        """Note an event at `time` (ns); give how many the window that ends there holds.

        What stands behind a gap is known late, after what came later.
        """
        times = self._times
        if times is None:
            if not self.peak:
                self._only, self.peak = time, 1
                return 1
            times = self._times = deque((self._only,))
        last = times[-1] if times else time
        if time < last:
            return self._add_late(times, time, last)
        times.append(time)
        first = times[0]
        while len(times) > self._most or time - first > self._window:
            times.popleft()
            first = times[0]
        count = len(times)
        self.peak = max(self.peak, count)
        return count

    def _add_late(self, times: deque[int], time: int, last: int) -> int:
        if last - time > _LATE * SECOND:
            times.clear()
        elif last - time > self._window:
            return 1
        later = [each for each in times if each > time]
        for _ in later:
            times.pop()
        times.append(time)
        times.extend(later)
        while len(times) > self._most or times[-1] - times[0] > self._window:
            times.popleft()
        self.peak = max(self.peak, len(times))
        return len(times)


class BusySeconds:
    """Seconds of the clock in which at least so many events came of each program, and how close together they lie.

    Programs that share a client id are told apart by their connections: there are as many as the most connections to
    one server that bring events in the same second.
    """

    __slots__ = ("_count", "_done", "_least", "_seconds", "_servers", "_this", "_wanted", "fired", "peak")

    def __init__(self, least: int, wanted: int) -> None:
        """A second is busy from `least` events of a program on; `wanted` busy seconds close together fire."""
        self._least = least
        self._wanted = wanted
        self._this = -1
        self._count = 0
        self._done = False
        self._servers: dict[str, dict[Connection, None]] = {}
        self._seconds: list[int] = []
        self.fired = False
        self.peak = 0
        """The most events in a second."""

    def add(self, time: int, server: str, connection: Connection) -> None:
        """Note an event at `time` (ns)."""
        second = time // SECOND
        if self._this - _LATE <= second < self._this:
            return  # Its second is over: it stood behind a gap.
        if second != self._this:
            self._this, self._count, self._done = second, 0, False
            self._servers.clear()
        self._count += 1
        self.peak = max(self.peak, self._count)
        on = self._servers.get(server)
        if on is None:
            on = self._servers[server] = {}
        on[connection] = None
        if self._done or self._count < self._least:
            return
        if self._count >= self._least * max(map(len, self._servers.values())):
            self._done = True
            self._seconds = [*self._seconds, second][-self._wanted :]
            close = self._seconds[-1] - self._seconds[0] < self._wanted + 3
            self.fired |= len(self._seconds) == self._wanted and close


class Trend:
    """How one figure depends on another: the slope of the line through all pairs, from running sums."""

    __slots__ = ("_count", "_x", "_xx", "_xy", "_y")

    def __init__(self) -> None:
        """Begin with no pairs."""
        self._count = self._x = self._y = self._xx = self._xy = 0

    def add(self, x: int, y: int) -> None:
        """Take a pair."""
        self._count += 1
        self._x += x
        self._y += y
        self._xx += x * x
        self._xy += x * y

    @property
    def slope(self) -> float:
        """Give by how much y grows with x; 0 where x does not vary."""
        spread = self._count * self._xx - self._x * self._x
        return (self._count * self._xy - self._x * self._y) / spread if spread else 0.0

    @property
    def share(self) -> float:
        """Give how much of the sum of both figures is x; 0 where both are."""
        return self._x / (self._x + self._y) if self._x + self._y else 0.0
