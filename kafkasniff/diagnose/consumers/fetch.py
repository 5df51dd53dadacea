# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about consumers that read."""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND, BusySeconds
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, state_of
from kafkasniff.diagnose.seen.seen_call import ABSENT, WITH_RACK, SeenCall
from kafkasniff.protocol.api_keys import FETCH
from kafkasniff.protocol.error_codes.numbers import FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH
from kafkasniff.tcp.events import Connection

_ABSENT = ABSENT

_MOST_CONNECTIONS = 16
"""Connections of one client that are told apart."""
_MOST_PARTITIONS = 64
"""Partitions that are told apart in a client's topic, or in what it fetches of a broker."""


class EmptyFetches(Tally):
    """The rate of a client's Fetch answers without records."""

    __slots__ = ("max_wait_ms", "seconds")

    def __init__(self, least: int, wanted: int) -> None:
        """Count seconds with `least` answers."""
        super().__init__()
        self.seconds = BusySeconds(least, wanted)
        self.max_wait_ms: int | None = None


class FetchBusyLoop(Rule[EmptyFetches]):
    """A consumer that polls an idle topic without pause."""

    id = "fetch-busy-loop"
    title = "A consumer fetches nothing, without pause"
    severity = "warning"
    scope = "client"
    apis = frozenset({FETCH})
    thresholds = (
        Threshold(
            "per_second",
            50,
            "answers/s",
            "of each program; fetch.max.wait.ms is 500 ms by default: two a second for each broker",
        ),
        Threshold("seconds", 3, "s", "measured: librdkafka spins for half a second after a leader change"),
    )
    meaning = "The consumer asks again at once when there is nothing to read, which costs both sides CPU."
    wire = "Fifty and more empty Fetch answers a second, for several seconds."
    cause = (
        "The broker is told not to wait for records ({fetch.max.wait.ms}), or to answer without any "
        "({fetch.min.bytes})."
    )
    fix = (
        "Let the broker wait for half a second ({fetch.max.wait.ms}) until there is something to read "
        "({fetch.min.bytes})."
    )

    def new_state(self) -> EmptyFetches:
        """Begin with none."""
        return EmptyFetches(int(self.limits["per_second"]), int(self.limits["seconds"]))

    @cython.locals(seen=SeenCall, call=Call, state=EmptyFetches)
    def call(self, seen: SeenCall) -> None:
        """Count answers without records and without error."""
        call = seen.call
        if call.response is None or seen.told_bytes > 0 or seen.failed:
            return
        state = state_of(self, seen.client)
        state.seconds.add(seen.ended, call.server, call.connection)
        state.max_wait_ms = None if seen.max_wait_ms == _ABSENT else seen.max_wait_ms
        state.add(call.response.last, "empty Fetch answer", call)
        for name in seen.names[:MOST_NAMES]:
            state.topics.add(name)

    def finding(self, key: Any, state: EmptyFetches) -> Finding | None:
        """Fire where several seconds were busy."""
        assert isinstance(key, Client)
        if not state.seconds.fired:
            return None
        summary = (
            f"{key.name} got {state.count:,} empty Fetch answers, up to {state.seconds.peak:,} a second "
            f"(its maxWaitMs is {state.max_wait_ms})."
        )
        subject = client_subject(key, state.clients) | {"group": self.facts.group(key), "topic": state.topics.only}
        return self.make(state, subject, summary)


class SessionKey(NamedTuple):
    """A client's fetch sessions at one broker."""

    client: Client
    server: str


class Sessions(Tally):
    """Fetches that begin a session anew, of all."""

    __slots__ = ("begun", "fetches")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.fetches = 0
        self.begun: Bounded[int] = Bounded(_MOST_CONNECTIONS)
        """Sessions begun on each connection."""


class FetchSessionChurn(Rule[Sessions]):
    """A consumer that begins a new fetch session at each fetch."""

    id = "fetch-session-churn"
    title = "Fetch sessions are begun anew each time"
    severity = "warning"
    scope = "client and server"
    state_type = Sessions
    apis = frozenset({FETCH})
    request_fields = frozenset({"sessionId"})
    response_fields = frozenset({"errorCode"})
    thresholds = (
        Threshold("fetches", 10, "fetches", "on a connection; a consumer begins one session for each broker (KIP-227)"),
        Threshold("share", 0.5, "", "of all fetches to the broker"),
    )
    meaning = (
        "Each fetch names all partitions, and fills the broker's session cache so that other clients lose their "
        "sessions."
    )
    wire = (
        "Fetch with session epoch 0 each time, or answers with 70 FETCH_SESSION_ID_NOT_FOUND or 71 "
        "INVALID_FETCH_SESSION_EPOCH."
    )
    cause = "A client that does not keep the session it got; or the broker's cache is too small and evicts sessions."
    fix = (
        "Upgrade the client; raise max.incremental.fetch.session.cache.slots (default 1000) on brokers with many "
        "consumers."
    )

    @cython.locals(seen=SeenCall, call=Call, state=Sessions, epoch=cython.longlong)
    def call(self, seen: SeenCall) -> None:
        """Count fetches that begin a session, and sessions that are gone."""
        epoch, call = seen.session_epoch, seen.call
        if epoch == _ABSENT or call.request is None:
            return
        state = state_of(self, (seen.client, call.server))  # A plain tuple is made sooner than `SessionKey`.
        state.fetches += 1
        error = seen.response.get("errorCode") if seen.failed else 0
        if error in (FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH):
            what = f"Fetch answered with error {error}"
        elif epoch == 0:
            what = f"Fetch with session id {seen.request['sessionId']}, epoch 0"
        else:
            return
        begun = (state.begun.get(call.connection) or 0) + 1
        state.begun.put(call.connection, begun)
        if begun == 1:
            return  # Who begins once on each connection may be several programs, or one that is run again and again.
        state.count += begun == 2
        state.add(call.request.last, what, call)
        for name in seen.names[:MOST_NAMES]:
            state.topics.add(name)

    def finding(self, key: Any, state: Sessions) -> Finding | None:
        """Fire where most fetches begin a session."""
        key = SessionKey(*key)
        if state.count < self.limits["fetches"] or state.count < self.limits["share"] * state.fetches:
            return None
        summary = (
            f"{key.client.name} began a new fetch session at {key.server} with {state.count:,} of "
            f"{state.fetches:,} fetches."
        )
        subject = client_subject(key.client, state.clients) | {
            "server": key.server,
            "group": self.facts.group(key.client),
            "topic": state.topics.only,
        }
        return self.make(state, subject, summary)


class RackKey(NamedTuple):
    """A consumer's fetches of a topic from one broker."""

    client: Client
    server: str
    rack: str


class Crossings(Tally):
    """Fetches across racks."""

    __slots__ = ("other_racks", "told")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.other_racks = Tally()
        """Fetches from brokers in other racks, none of which named a nearer replica."""
        self.told: Bounded[tuple[int, Connection]] = Bounded(_MOST_PARTITIONS)
        """When (ns) and where a partition that a replica in the rack has, by topic and number, was last fetched."""


class WrongRackFetch(Rule[Crossings]):
    """A consumer reads from another rack though its own has a replica, or says a rack that is no broker's."""

    id = "wrong-rack-fetch"
    title = "A consumer reads from another rack than its own"
    severity = "warning"
    scope = "client and server"
    state_type = Crossings
    apis = frozenset({FETCH})
    only = dict.fromkeys(apis, WITH_RACK)
    response_fields = frozenset(
        {"responses", "topic", "topicId", "partitions", "partitionIndex", "preferredReadReplica"}
    )
    thresholds = (
        Threshold("fetches", 4, "fetches", "after the one that tells of the nearer replica"),
        Threshold(
            "seconds",
            30,
            "s",
            "since it was told on the same connection; a consumer asks the leader again every few minutes",
        ),
    )
    meaning = (
        "Records cross racks (availability zones) and are paid for, though a replica in the consumer's rack has them."
    )
    wire = (
        "Fetch with a rackId to a broker of another rack, whose answers name a preferredReadReplica (KIP-392) for the "
        "same partition each time; or with a rackId that is no broker's rack in Metadata."
    )
    cause = (
        "The client sends its rack but does not follow the replica it is told; or the brokers have no replica "
        "selector; or client and brokers call the same racks by different names (a zone's name, and its id)."
    )
    fix = (
        "Give the client a rack that brokers have as broker.rack ({client.rack}); use one that follows the replica it "
        "is told (Java 2.4+, librdkafka 1.5+); set replica.selector.class to RackAwareReplicaSelector on the brokers."
    )

    def call(self, seen: SeenCall) -> None:
        """Count fetches that the rack's own replica should have got."""
        rack = seen.rack
        assert rack is not None
        if seen.call.response is None:
            return
        broker = self.facts.broker(seen.call.server)
        if broker is not None and broker.rack == rack:
            return
        if broker is not None and broker.rack is not None:
            self._note_other_rack(seen, rack)
        key, again, named = RackKey(seen.client, seen.call.server, rack), False, None
        connection = seen.call.connection
        for topic in seen.response.get("responses", ()):
            name = self.facts.name_in(topic)
            for partition in topic["partitions"]:
                index, preferred = partition["partitionIndex"], partition.get("preferredReadReplica", -1)
                elsewhere = broker is not None and name is not None and broker.rack is not None
                if preferred >= 0 or (elsewhere and rack in self.facts.replica_racks(str(name), index)):
                    told = self.state(key).told
                    latest = told.get((name, index))
                    if latest is not None and latest[1] is connection:
                        again |= seen.ended - latest[0] < self.limits["seconds"] * SECOND
                    told.put((name, index), (seen.ended, connection))
                    named = name
        if again:
            theirs = f"rack {broker.rack}" if broker is not None else "another rack"
            assert seen.call.request is not None
            what = f"Fetch of {named} from {theirs} by a client in {rack}"
            self.state(key).add(seen.call.request.last, what, seen.call, named)

    def _note_other_rack(self, seen: SeenCall, rack: str) -> None:
        """Note a fetch from a broker of another rack, which matters where no broker is in the client's."""
        state = self.state(RackKey(seen.client, "", rack)).other_racks
        state.add(seen.call.ended, f"Fetch by a client in {rack} from {seen.call.server}", seen.call)
        for topic in (seen.response.get("responses") or ())[:MOST_NAMES]:
            state.topics.add(self.facts.name_in(topic))

    def finding(self, key: Any, state: Crossings) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, RackKey)
        if not key.server:
            return self._no_such_rack(key, state.other_racks)
        if state.count < self.limits["fetches"]:
            return None
        summary = (
            f"{key.client.name} in rack {key.rack} fetched {state.count:,} times from {key.server}, which is in "
            f"another "
            "rack, though a replica in its own has the records."
        )
        subject = client_subject(key.client, state.clients) | {
            "server": key.server,
            "group": self.facts.group(key.client),
            "topic": state.topics.only,
        }
        return self.make(state, subject, summary)

    def _no_such_rack(self, key: RackKey, state: Tally) -> Finding | None:
        racks = self.facts.racks()
        if state.count < self.limits["fetches"] or key.rack in racks or len(racks) < 2:
            return None
        summary = (
            f"{key.client.name} says that it is in rack {key.rack}, which is no broker's ({', '.join(racks)}): its "
            f"{state.count:,} fetches go to the leaders, wherever these are."
        )
        subject = client_subject(key.client, state.clients) | {
            "group": self.facts.group(key.client),
            "topic": state.topics.only,
        }
        return self.make(state, subject, summary)


FETCH_RULES: tuple[type[Rule[Any]], ...] = (FetchBusyLoop, FetchSessionChurn, WrongRackFetch)
