# cython: language_level=3, annotation_typing=False, boundscheck=True
"""How often something was seen, first and last, with the names and the packets that show it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import LONGEST_TEXT, short_name
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.finding import Evidence

MOST_EVIDENCE = 5
MOST_NAMES = 16


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

    __slots__ = ("_beginning", "_client", "_clients", "_latest", "_number", "_topics", "count", "first", "last")

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.count = 0
        self.first: Arrival | None = None
        self.last: Arrival | None = None
        # Names and lists are made when there is a second to keep: most states of most clients see one thing only.
        self._client: str | None = None
        self._clients: Names | None = None
        self._topics: Names | None = None
        self._beginning: list[Evidence] | None = None
        """The first few; none while all there is to know is that of the latest."""
        self._latest = ""
        self._number = 0

    @property
    def clients(self) -> Names:
        """Give `ip:port` of the clients' ends of the connections."""
        return self._clients_made()

    @property
    def topics(self) -> Names:
        """Give the topics that were named."""
        return self._topics_made()

    def _clients_made(self) -> Names:
        clients = self._clients
        if clients is None:
            clients = self._clients = Addresses()
            clients.add(self._client)
        return clients

    def _topics_made(self) -> Names:
        topics = self._topics
        if topics is None:
            topics = self._topics = Names()
        return topics

    def add(
        self, arrival: Arrival, what: str, of: "Call | ConnectionReport | Cited | None" = None, topic: str | None = None
    ) -> None:
        """Count one more, seen of a call or a connection; the first few and the latest stay as evidence."""
        if self.count and self._beginning is None:
            self._beginning = self._so_far()
        self.count += 1
        if len(what) > LONGEST_TEXT:
            what = short_name(what, LONGEST_TEXT)
        number = 0
        if isinstance(of, Call):
            call = of
            number = call.number
            self._note_client(call.client)
        elif of is not None:
            number = 0 if isinstance(of, ConnectionReport) else of.number
            self._note_client(of.client)
        # What connections show is known as they end, in whichever order.
        if self.first is None or arrival.time < self.first.time:
            self.first = arrival
        if self.last is None or arrival.time >= self.last.time:
            self.last, self._latest, self._number = arrival, what, number
        beginning = self._beginning
        if beginning is not None and len(beginning) < MOST_EVIDENCE:
            beginning.append(Evidence(arrival, what, number))
        if topic is not None:
            self._topics_made().add(topic)

    def _note_client(self, client: str) -> None:
        if self._clients is not None:
            self._clients.add(client)
        elif self._client is None:
            self._client = client
        elif client != self._client:
            self._clients_made().add(client)

    def _so_far(self) -> list[Evidence]:
        """Give what there is while there was one at most."""
        return [Evidence(self.last, self._latest, self._number)] if self.last is not None else []

    @property
    def evidence(self) -> list[Evidence]:
        """Give the packets that show it, in their order: the first few that were known, and the latest."""
        found = self._so_far() if self._beginning is None else self._beginning
        if self.last is not None and len(found) == MOST_EVIDENCE:
            found = [*found[:-1], Evidence(self.last, self._latest, self._number)]
        return sorted(found, key=lambda each: each.arrival.time)

    @property
    def span_ns(self) -> int:
        """Give the time from the first to the last."""
        return 0 if self.first is None or self.last is None else self.last.time - self.first.time
