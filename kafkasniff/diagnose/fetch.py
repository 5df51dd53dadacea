"""Rules about consumers that read."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorTally, TopicErrorRule
from kafkasniff.diagnose.facts import FETCH, Client, client_of, request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory import BusySeconds, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text

SESSION_ID_NOT_FOUND, INVALID_SESSION_EPOCH = 70, 71


class EmptyFetches(Tally):
    """The rate of a client's Fetch answers without records."""

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
            "per_second", 50, "answers/s", "fetch.max.wait.ms is 500 ms by default: two a second for each broker"
        ),
        Threshold("seconds", 3, "s", "measured: librdkafka spins for half a second after a leader change"),
    )
    meaning = "The consumer asks again at once when there is nothing to read, which costs both sides CPU."
    wire = "Fifty and more empty Fetch answers a second, for several seconds."
    cause = (
        "fetch.max.wait.ms (fetch.wait.max.ms in librdkafka, max_wait_time elsewhere) is about zero, or "
        "fetch.min.bytes is 0."
    )
    fix = "Set fetch.max.wait.ms to 500 and fetch.min.bytes to 1 or more."

    def new_state(self) -> EmptyFetches:
        """Begin with none."""
        return EmptyFetches(int(self.limits["per_second"]), int(self.limits["seconds"]))

    def call(self, call: Call) -> None:
        """Count answers without records and without error."""
        if call.response is None or call.outcome != "answered" or call.errors:
            return
        response = response_of(call)
        for topic in response.get("responses", ()):
            for partition in topic["partitions"]:
                if partition["recordsSizeInBytes"]:
                    return
        request = request_of(call)
        state = self.state(client_of(call))
        state.seconds.add(call.response.last.time)
        state.max_wait_ms = request.get("maxWaitMs")
        state.add(call.response.last, f"empty Fetch answer (maxWaitMs {state.max_wait_ms})", call.client)
        for topic in request.get("topics") or ():
            state.topics.add(self.facts.name_in(topic))

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

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.fetches = 0


class FetchSessionChurn(Rule[Sessions]):
    """A consumer that begins a new fetch session at each fetch."""

    id = "fetch-session-churn"
    title = "Fetch sessions are begun anew each time"
    severity = "warning"
    scope = "client and server"
    apis = frozenset({FETCH})
    thresholds = (
        Threshold("fetches", 10, "fetches", "a consumer begins one session for each broker (KIP-227)"),
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
    explains = ("fetch-busy-loop",)

    def new_state(self) -> Sessions:
        """Begin with none."""
        return Sessions()

    def call(self, call: Call) -> None:
        """Count fetches that begin a session, and sessions that are gone."""
        request = request_of(call)
        if call.request is None or "sessionEpoch" not in request:
            return
        state = self.state(SessionKey(client_of(call), call.server))
        state.fetches += 1
        error = response_of(call).get("errorCode")
        if error in (SESSION_ID_NOT_FOUND, INVALID_SESSION_EPOCH):
            state.add(call.request.last, f"Fetch answered with error {error}", call.client)
        elif request["sessionEpoch"] == 0:
            state.add(call.request.last, f"Fetch with session id {request['sessionId']}, epoch 0", call.client)
        else:
            return
        for topic in request.get("topics") or ():
            state.topics.add(self.facts.name_in(topic))

    def finding(self, key: Any, state: Sessions) -> Finding | None:
        """Fire where most fetches begin a session."""
        assert isinstance(key, SessionKey)
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


class OffsetOutOfRange(TopicErrorRule):
    """A consumer asks for offsets that the log does not have."""

    id = "offset-out-of-range"
    title = "A consumer asks for offsets that are not there"
    severity = "error"
    scope = "client and topic"
    codes = frozenset({1})
    thresholds = (Threshold("calls", 3, "calls", "a consumer that resets its offset brings one"),)
    meaning = "The consumer's position lies before the log's start or behind its end, and it does not move."
    wire = "Fetch answered with 1 OFFSET_OUT_OF_RANGE, again and again."
    cause = "Retention deleted what was not read in time, or the topic was made anew; and auto.offset.reset is none."
    fix = (
        "Set auto.offset.reset to earliest or latest, or move the group (kafka-consumer-groups.sh "
        "--reset-offsets); raise retention.ms."
    )

    def wanted(self, call: Call) -> bool:
        """Look at fetches of consumers and followers."""
        return call.api_key == FETCH

    def more_subject(self, key: ErrorKey) -> dict[str, Any]:
        """Name the group, where the client has one."""
        return {"group": self.facts.group(key.client)}

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name client and topic."""
        return (
            f"{key.client.name} asked {state.count:,} times within {seconds_text(state.span_ns)} for offsets of topic "
            f"{key.name} that are not in the log."
        )


class RackKey(NamedTuple):
    """A consumer's fetches of a topic from one broker."""

    client: Client
    server: str
    rack: str


class WrongRackFetch(Rule[Tally]):
    """A consumer reads from another rack though its own has a replica."""

    id = "wrong-rack-fetch"
    title = "A consumer reads from another rack than its own"
    severity = "warning"
    scope = "client and server"
    apis = frozenset({FETCH})
    thresholds = (
        Threshold("fetches", 5, "fetches", "a consumer asks the leader once, and again every metadata.max.age.ms"),
    )
    meaning = (
        "Records cross racks (availability zones) and are paid for, though a replica in the consumer's rack has them."
    )
    wire = (
        "Fetch with a rackId to a broker of another rack, whose answers name a preferredReadReplica (KIP-392) each "
        "time."
    )
    cause = (
        "The client sends its rack but does not follow the replica it is told; or the brokers have no replica selector."
    )
    fix = (
        "Upgrade the client (Java 2.4+, librdkafka 1.5+: client.rack); set replica.selector.class to "
        "RackAwareReplicaSelector on the brokers."
    )

    def new_state(self) -> Tally:
        """Begin with none."""
        return Tally()

    def call(self, call: Call) -> None:
        """Count fetches that the rack's own replica should have got."""
        if call.response is None or call.request is None:
            return
        rack = request_of(call).get("rackId")
        if not rack:
            return
        broker = self.facts.broker(call.server)
        if broker is not None and broker.rack == rack:
            return
        for topic in response_of(call).get("responses", ()):
            name = self.facts.name_in(topic)
            for partition in topic["partitions"]:
                preferred = partition.get("preferredReadReplica", -1)
                elsewhere = broker is not None and name is not None and broker.rack is not None
                if preferred >= 0 or (
                    elsewhere and rack in self.facts.replica_racks(str(name), partition["partitionIndex"])
                ):
                    theirs = f"rack {broker.rack}" if broker is not None else "another rack"
                    what = f"Fetch of {name} from {theirs} by a client in {rack} (preferredReadReplica {preferred})"
                    self.state(RackKey(client_of(call), call.server, rack)).add(
                        call.request.last, what, call.client, name
                    )
                    return

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, RackKey)
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


FETCH_RULES: tuple[type[Rule[Any]], ...] = (FetchBusyLoop, FetchSessionChurn, OffsetOutOfRange, WrongRackFetch)
