# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Bounded memory for rules: states by key, tallies with evidence, and rates."""

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import LONGEST_TEXT, short_name
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.finding import Evidence
from kafkasniff.tcp.events import Connection

SECOND = 1_000_000_000
"""Nanoseconds."""
MILLISECOND = 1_000_000
"""Nanoseconds."""

MOST_KEYS = 10_000
"""Clients, groups, topics and so on that a rule remembers at once; the longest untouched is given up first."""
MOST_CONNECTIONS = 100_000
"""Open connections that are remembered at once."""
MOST_EVIDENCE = 5
MOST_NAMES = 16

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


class Names:
    """The first few distinct names, in the order in which they came."""

    __slots__ = ("_names", "more")

    def __init__(self) -> None:
        """Begin with none."""
        self._names: dict[Any, None] = {}
        self.more = False
        """Whether there were more than are kept."""

    def add(self, name: Any) -> None:
        """Take a name; None is none."""
        if name is None or name in self._names:
            return
        if len(self._names) < MOST_NAMES:
            self._names[name] = None
        else:
            self.more = True

    def __iter__(self) -> Iterator[Any]:
        """Give the names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Give how many are kept."""
        return len(self._names)

    @property
    def only(self) -> Any | None:
        """Give the name when there is exactly one, else None."""
        return next(iter(self._names)) if len(self._names) == 1 else None


class Addresses(Names):
    """The first few distinct names in the order of text, whichever came first."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self._last = ""
        """The last of them in that order, once there are as many as are kept."""

    def add(self, name: Any) -> None:
        """Take a name; None is none."""
        if name is None or name in self._names or (self._last and name > self._last):
            self.more = self.more or (name is not None and name not in self._names)
            return
        self._names[name] = None
        if len(self._names) > MOST_NAMES:
            self.more = True
            del self._names[max(self._names)]
        if len(self._names) == MOST_NAMES:
            self._last = max(self._names)


class Cited(NamedTuple):
    """Of a call whose connection shows only later what was wrong with it: whose it was, and which."""

    client: str
    number: int


class Tally:
    """How often something was seen, first and last, with a few packets that show it."""

    __slots__ = ("_beginning", "_latest", "_number", "clients", "count", "first", "last", "topics")

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.count = 0
        self.first: Arrival | None = None
        self.last: Arrival | None = None
        self.clients: Names = Addresses()
        """`ip:port` of the clients' ends of the connections."""
        self.topics = Names()
        self._beginning: list[Evidence] = []
        self._latest = ""
        self._number = 0

    def add(
        self, arrival: Arrival, what: str, of: "Call | ConnectionReport | Cited | None" = None, topic: str | None = None
    ) -> None:
        """Count one more, seen of a call or a connection; the first few and the latest stay as evidence."""
        self.count += 1
        if self.first is None:
            self.first = arrival
        self.last = arrival
        if len(what) > LONGEST_TEXT:
            what = short_name(what, LONGEST_TEXT)
        self._latest = what
        self._number = 0
        if isinstance(of, Call):
            call = of
            self._number = call.number
            self.clients.add(call.client)
        elif of is not None:
            self._number = 0 if isinstance(of, ConnectionReport) else of.number
            self.clients.add(of.client)
        if len(self._beginning) < MOST_EVIDENCE:
            self._beginning.append(Evidence(arrival, what, self._number))
        if topic is not None:
            self.topics.add(topic)

    @property
    def evidence(self) -> list[Evidence]:
        """Give the packets that show it: the first few and the latest."""
        if self.last is None or len(self._beginning) < MOST_EVIDENCE:
            return list(self._beginning)
        return [*self._beginning[:-1], Evidence(self.last, self._latest, self._number)]

    @property
    def span_ns(self) -> int:
        """Give the time from the first to the last."""
        return 0 if self.first is None or self.last is None else self.last.time - self.first.time


class Rate:
    """The most events within any window of a fixed length that have been seen, and the busy windows in a row."""

    __slots__ = ("_most", "_times", "_window", "peak")

    def __init__(self, window_ns: int, most: int) -> None:
        """Look for up to `most` events within `window_ns`; counts beyond are not told apart."""
        self._window = window_ns
        self._most = most
        self._times: deque[int] = deque()
        self.peak = 0
        """The most events seen within a window, `most` at most."""

    def add(self, time: int) -> int:
        """Note an event at `time` (ns); give how many the window that ends there holds."""
        times = self._times
        times.append(time)
        first = times[0]
        while len(times) > self._most or time - first > self._window:
            times.popleft()
            first = times[0]
        count = len(times)
        self.peak = max(self.peak, count)
        return count


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
