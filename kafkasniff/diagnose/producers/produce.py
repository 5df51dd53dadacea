# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about producers that write."""

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND, Trend
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, counted, state_of
from kafkasniff.diagnose.seen.produced import Produced
from kafkasniff.diagnose.seen.seen_call import ACKS_ONE, ACKS_ZERO, SeenCall
from kafkasniff.protocol.api_keys import PRODUCE
from kafkasniff.tcp.events import Connection

_MOST_CONNECTIONS = 16
"""Connections of one client that are told apart."""
_TOPICS_LOOKED_AT = 20
"""Requests whose topics are noted."""
_EVERY = 10
"""Requests after which a full window is looked at again."""
_LATE_NS = SECOND
"""Requests that were sent so long before others that are known stood behind a gap: a window has the latest."""
_LULL_NS = 5 * SECOND
"""After so long without a window full of single records their time is counted anew."""


def add_topics(seen: SeenCall, state: Tally) -> None:
    """Note the topics of a Produce request."""
    topics = state.topics
    for name in seen.names:
        topics.add(name)


class _AcksRule(Rule[Tally]):
    """Counts Produce requests with a certain `acks`."""

    acks: int
    what: str
    """What a request is called as evidence."""
    apis = frozenset({PRODUCE})
    severity = "info"
    scope = "client"
    state_type = Tally

    @cython.locals(seen=SeenCall, state=Tally)
    def call(self, seen: SeenCall) -> None:
        """Count a request."""
        state = state_of(self, seen.client)
        assert seen.call.request is not None
        state.add(seen.call.request.last, self.what, seen.call)
        add_topics(seen, state)

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, Client)
        if state.count < self.limits["requests"]:
            return None
        summary = f"{key.name} sent {counted(state.count, 'Produce request')} with acks={self.acks}."
        return self.make(state, client_subject(key, state.clients) | {"topic": state.topics.only}, summary)


class AcksZero(_AcksRule):
    """A producer does not wait for any answer."""

    id = "acks-zero"
    title = "The producer wants no answer"
    acks = 0
    only: ClassVar[Mapping[int, int]] = {PRODUCE: ACKS_ZERO}
    what = "Produce with acks=0"
    thresholds = (Threshold("requests", 1, "requests", "a setting, seen at the first request"),)
    meaning = "Records are lost unnoticed at any error: the broker does not answer, and the client does not retry."
    wire = "Produce requests with acks 0, and no answers to them."
    cause = "The producer is told to want no acknowledgement, instead of all replicas' ({acks=all})."
    fix = "Wait for all replicas in sync ({acks=all}), unless losing records is fine, as with some metrics."


class AcksOne(_AcksRule):
    """A producer waits for the leader only."""

    id = "acks-one"
    title = "The producer waits for the leader only"
    acks = 1
    only: ClassVar[Mapping[int, int]] = {PRODUCE: ACKS_ONE}
    what = "Produce with acks=1"
    thresholds = (Threshold("requests", 1, "requests", "a setting, seen at the first request"),)
    meaning = "Records that were confirmed are lost when the leader fails before its followers have them."
    wire = "Produce requests with acks 1."
    cause = (
        "The producer is told to wait for the leader only, or that is its library's default, instead of all "
        "replicas' ({acks=all})."
    )
    fix = "Wait for all replicas in sync ({acks=all}), with min.insync.replicas=2 on the topic."


class Sizes(Tally):
    """How many of the latest Produce requests hold one record, and when."""

    __slots__ = ("busy_ns", "busy_until", "fired", "latest", "looked", "most", "rate", "single", "skip", "window")

    def __init__(self, window: int) -> None:
        """Look at `window` requests at a time."""
        super().__init__()
        self.most = window
        self.window: deque[tuple[int, bool, Connection]] = deque(maxlen=window)
        self.single = 0
        self.skip = window
        """Requests until the window is looked at again."""
        self.fired = False
        self.rate = 0.0
        self.latest = 0
        """When the latest request was sent (ns)."""
        self.looked = 0
        """When the window was last looked at (ns)."""
        self.busy_ns = self.busy_until = 0
        """For how long windows were full of single records, and until when, with no long lull between (ns)."""

    def take(self, sent: int, single: bool, connection: Connection) -> bool:
        """Take a request; tell whether it is time to look at the window."""
        if sent < self.latest - _LATE_NS:
            return False
        self.latest = max(sent, self.latest)
        window = self.window
        is_full = len(window) >= self.most
        if is_full and window[0][1]:
            self.single -= 1
        window.append((sent, single, connection))
        self.single += single
        self.skip -= 1
        return self.skip <= 0 and len(window) == self.most


def _programs(window: deque[tuple[int, bool, Connection]]) -> int:
    """Give how many programs share a client id: as many as the most connections that one server has of it."""
    servers: dict[object, int] = {}
    for connection in {connection for _, _, connection in window}:
        server = connection.endpoints[1 - (connection.initiator or 0)]
        servers[server] = servers.get(server, 0) + 1
    return max(servers.values())


class TinyBatches(Rule[Sizes]):
    """A busy producer sends one record at a time."""

    id = "tiny-batches"
    title = "A busy producer sends one record per request"
    severity = "warning"
    scope = "client"
    apis = frozenset({PRODUCE})
    thresholds = (
        Threshold("requests", 100, "requests", "looked at together"),
        Threshold("share", 0.9, "", "of them with one record"),
        Threshold(
            "per_second",
            40,
            "requests/s",
            "of each program, as connections to one server tell; linger.ms=5, the default since 4.0, would batch",
        ),
        Threshold("seconds", 3, "s", "in all, with no long lull: a burst, as at a start, is over sooner"),
    )
    meaning = (
        "Each record costs a whole request with its headers and answer, so that broker and client do many times "
        "the work."
    )
    wire = "Ninety of a hundred Produce requests hold a single record, at forty and more a second, for some seconds."
    cause = (
        "The producer does not wait for more records ({linger.ms}), its batches may be tiny ({batch.size}), or the "
        "program flushes after each record."
    )
    fix = (
        "Let the producer wait 5 to 100 ms for more records ({linger.ms}), and do not flush after each "
        "({send() without get()})."
    )

    def new_state(self) -> Sizes:
        """Begin with none."""
        return Sizes(int(self.limits["requests"]))

    @cython.locals(seen=SeenCall, state=Sizes, batches=list, batch=Produced, single=cython.bint, looks=cython.bint)
    def call(self, seen: SeenCall) -> None:
        """Count the records of a request."""
        batches = seen.produced
        if not batches:
            return
        batch = batches[0]
        single = len(batches) == 1 and batch.records == 1
        state = state_of(self, seen.client)
        looks = state.take(seen.sent, single, seen.call.connection)
        if single:
            assert seen.call.request is not None
            state.add(seen.call.request.last, "Produce with one record", seen.call)
            if state.fired:
                add_topics(seen, state)
        if looks:
            state.skip = _EVERY
            self._look(seen, state)

    def _look(self, seen: SeenCall, state: Sizes) -> None:
        """See whether a window is full of single records, and for how long that was so."""
        window, busy = state.window, False
        if state.single >= self.limits["share"] * len(window):
            rate = len(window) * SECOND / max(seen.sent - window[0][0], 1)
            # To count programs takes long.
            if rate >= self.limits["per_second"]:
                rate /= _programs(window)
            busy = rate >= self.limits["per_second"]
        before, state.looked = state.looked, seen.sent
        if not busy:
            return
        begun = window[0][0]
        if begun - state.busy_until > _LULL_NS:
            state.busy_ns = seen.sent - begun
        else:
            state.busy_ns += seen.sent - max(before, begun)
        state.busy_until = seen.sent
        state.rate = max(state.rate, rate)
        if state.busy_ns >= self.limits["seconds"] * SECOND:
            if not state.fired:
                add_topics(seen, state)
            state.fired = True

    def finding(self, key: Any, state: Sizes) -> Finding | None:
        """Fire where a window was full of single records."""
        assert isinstance(key, Client)
        if not state.fired:
            return None
        summary = (
            f"{key.name} sent {state.count:,} Produce requests with one record each, up to {state.rate:.0f} a second."
        )
        return self.make(state, client_subject(key, state.clients) | {"topic": state.topics.only}, summary)


class SerialSends(Tally):
    """Produce requests that came right after the answer to the one before."""

    __slots__ = ("answered", "latency", "overlapping", "records", "requests", "trend")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.answered = 0
        self.latency = 0
        self.requests = 0
        self.records = 0
        self.overlapping = 0
        self.trend = Trend()

    def take(self, seen: SeenCall, batches: list[Produced], longest_pause: int) -> bool:
        """Take an answered request; tell whether it came right after the answer before it."""
        answered, latency = self.answered, self.latency
        self.answered, self.latency = seen.ended, seen.ended - seen.sent
        if not answered:
            return False
        self.requests += 1
        for batch in batches:
            self.records += batch.records
        pause = seen.sent - answered
        if pause < 0:
            self.overlapping += 1
        elif pause <= longest_pause:
            assert seen.call.request is not None
            self.add(seen.call.request.first, "Produce right after the last answer", seen.call)
            self.trend.add(latency, pause)
            return True
        return False


class Senders(Tally):
    """The sends of a client, and of each of its connections once there are several."""

    __slots__ = ("all", "apart", "connection")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.all = SerialSends()
        self.connection: Connection | None = None
        """The only one so far."""
        self.apart: Bounded[SerialSends] = Bounded(_MOST_CONNECTIONS)


class SerialSyncSend(Rule[Senders]):
    """A producer waits for each answer before it sends the next record."""

    id = "serial-sync-send"
    title = "The producer waits for each answer before the next send"
    severity = "warning"
    scope = "client"
    state_type = Senders
    apis = frozenset({PRODUCE})
    thresholds = (
        Threshold("requests", 100, "requests", "on one connection, or on all of the client together"),
        Threshold("milliseconds", 10, "ms", "from an answer to the next request"),
        Threshold(
            "share", 0.6, "", "of all requests, with hardly any (1 %) overlapping, as at random times they would"
        ),
        Threshold("slope", -0.5, "", "of pause against latency; a sender with a fixed rate has -1"),
        Threshold("records", 10, "records", "a request on average: who sends more waits for batches, not for records"),
        Threshold(
            "gathered", 1.5, "records", "a request on average, of which linger ends batches where pauses are long"
        ),
        Threshold("waiting", 1 / 3, "", "of the time from send to send, where so many records gather in between"),
    )
    meaning = "Throughput is one request per round trip, however fast network and brokers are."
    wire = "Each Produce is sent within 10 ms of the last answer, and never two are in flight, hundreds of times."
    cause = "The program waits for each record's result, or flushes after each."
    fix = (
        "Send without waiting and look at results in callbacks ({send() without get()}); flush once at the end of "
        "a unit of work."
    )

    @cython.locals(seen=SeenCall, state=Senders, sends=SerialSends, batches=list, longest=cython.longlong)
    def call(self, seen: SeenCall) -> None:
        """Compare a request with the answer before it."""
        if seen.call.response is None:
            return
        state, connection = state_of(self, seen.client), seen.call.connection
        batches, longest = seen.produced, int(self.limits["milliseconds"] * MILLISECOND)
        if state.connection is None:
            state.connection = connection
        elif len(state.apart) or state.connection is not connection:
            sends = state.apart.touch(connection, SerialSends)
            if sends.take(seen, batches, longest) and sends.count <= _TOPICS_LOOKED_AT:
                add_topics(seen, sends)
        sends = state.all
        if sends.take(seen, batches, longest) and sends.count <= _TOPICS_LOOKED_AT:
            add_topics(seen, sends)

    def _serial(self, sends: SerialSends) -> bool:
        """Tell whether waiting is the habit."""
        # A program that waits for each record gathers none meanwhile.
        gathers = sends.records > self.limits["gathered"] * sends.requests
        return (
            sends.count >= self.limits["requests"]
            and sends.count >= self.limits["share"] * sends.requests
            and sends.overlapping * 100 <= sends.requests
            and sends.records <= self.limits["records"] * sends.requests
            # Who sends by the clock pauses for less time after a slow answer; who waits always for the same.
            and sends.trend.slope > self.limits["slope"]
            and (not gathers or sends.trend.share >= self.limits["waiting"])
        )

    def finding(self, key: Any, state: Senders) -> Finding | None:
        """Fire where it is the habit, on all connections together or on one of them."""
        assert isinstance(key, Client)
        each = [state.all, *(sends for _, sends in state.apart.items())]
        sends = next(filter(self._serial, each), None)
        if sends is None:
            return None
        rate = sends.count * SECOND / max(sends.span_ns, 1)
        summary = (
            f"{key.name} waited for each answer before its next Produce {sends.count:,} times "
            f"({rate:.0f} requests a second), never with two in flight."
        )
        return self.make(sends, client_subject(key, sends.clients) | {"topic": sends.topics.only}, summary)


PRODUCE_RULES: tuple[type[Rule[Any]], ...] = (AcksZero, AcksOne, TinyBatches, SerialSyncSend)
