# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about metadata: leaders, and how often clients ask."""

from collections.abc import Hashable
from typing import Any

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.facts.whole_bodies import is_follower, request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND, BusySeconds
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Tally
from kafkasniff.diagnose.rule import WITH_STATES, Rule, Threshold, client_subject, counted, seconds_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import (
    FETCH,
    LIST_OFFSETS,
    METADATA,
    OFFSET_FOR_LEADER_EPOCH,
    PRODUCE,
    SHARE_FETCH,
)
from kafkasniff.protocol.error_codes.numbers import (
    NOT_LEADER_OR_FOLLOWER,
)

_MOST_CONNECTIONS = 64
"""Connections of one client that are told apart."""
_LEADER_APIS = frozenset({PRODUCE, FETCH, LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH, SHARE_FETCH})


class Refreshes(Tally):
    """The rate of a client's Metadata requests."""

    __slots__ = ("beginnings", "seconds")

    def __init__(self, least: int, wanted: int) -> None:
        """Count seconds with `least` requests."""
        super().__init__()
        self.seconds = BusySeconds(least, wanted)
        self.beginnings: Bounded[int] = Bounded(_MOST_CONNECTIONS)
        """Requests so far of connections that have just begun."""


class MetadataStorm(Rule[Refreshes]):
    """A client asks for metadata all the time."""

    id = "metadata-storm"
    title = "A client asks for metadata all the time"
    severity = "warning"
    scope = "client"
    apis = frozenset({METADATA})
    request_fields = frozenset({"topics", "name", "topicId"})
    thresholds = (
        Threshold(
            "per_second", 10, "requests/s", "metadata.max.age.ms is 5 minutes, retry.backoff.ms 100 ms by default"
        ),
        Threshold("seconds", 3, "s", "a start with many topics is over sooner"),
        Threshold("first", 3, "requests", "of each connection, which a client's start takes, and many clients' starts"),
    )
    meaning = (
        "Metadata is among the most expensive requests for a broker with many partitions; this client asks for it "
        "without need."
    )
    wire = "Ten or more answered Metadata requests a second from one client, for several seconds."
    cause = "The metadata's age ({metadata.max.age.ms}) is tiny, or a retry loop has no back-off ({retry.backoff.ms})."
    fix = (
        "Set the metadata's age ({metadata.max.age.ms}) and the back-off ({retry.backoff.ms}) back to their "
        "defaults; keep one client instead of many."
    )

    def new_state(self) -> Refreshes:
        """Begin with none."""
        return Refreshes(int(self.limits["per_second"]), int(self.limits["seconds"]))

    def call(self, seen: SeenCall) -> None:
        """Count answered requests, but for those with which connections begin."""
        call = seen.call
        if call.request is None or call.response is None:
            return
        state = self.state(seen.client)
        begun = state.beginnings.get(call.connection) or 0
        if begun < self.limits["first"]:
            state.beginnings.put(call.connection, begun + 1)
            return
        state.seconds.add(seen.sent, call.server, call.connection)
        state.add(call.request.last, "Metadata", call)
        for topic in (seen.request.get("topics") or ())[:MOST_NAMES]:
            state.topics.add(self.facts.name_in(topic))

    def finding(self, key: Any, state: Refreshes) -> Finding | None:
        """Fire where several seconds were busy."""
        assert isinstance(key, Client)
        if not state.seconds.fired:
            return None
        summary = (
            f"{key.name} asked for metadata {state.count:,} times within {seconds_text(state.span_ns)}, "
            f"up to {state.seconds.peak:,} times a second."
        )
        return self.make(state, client_subject(key, state.clients) | {"topic": state.topics.only}, summary)


class Refusals(ErrorTally):
    """Refusals since the client last asked for metadata."""

    __slots__ = ("in_a_row", "metadata", "most")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.most = 0
        self.metadata = 0
        """Metadata calls about the topic since the first refusal."""
        self.in_a_row: Bounded[tuple[int, int, int]] = Bounded(_MOST_CONNECTIONS)
        """Of each connection: the refusals since the first, when that came, and when the latest did (ns)."""


class NotLeaderLoop(ErrorRule):
    """A client does not look for the new leader."""

    id = "not-leader-loop"
    title = "A client keeps asking a broker that is not the leader"
    severity = "error"
    scope = "client and topic"
    state_type = Refusals
    codes = frozenset({NOT_LEADER_OR_FOLLOWER})
    apis = frozenset({METADATA})
    only = dict.fromkeys(apis, WITH_STATES)
    thresholds = (
        Threshold(
            "calls", 8, "calls", "sent after the first refusal; measured: up to three before metadata is refreshed"
        ),
        Threshold("lasting", 1, "s", "from first to last; clients ask for metadata after retry.backoff.ms (100)"),
        Threshold("seconds", 60, "s", "without a refusal after which another one is another leader change"),
    )
    meaning = "The partition's leader is elsewhere, and the client does not ask where."
    wire = (
        "Error 6 NOT_LEADER_OR_FOLLOWER over and over on one connection, with no Metadata request of the client in "
        "between."
    )
    cause = "The client does not refresh its metadata at this error, or it is told wrong leaders by a proxy."
    fix = (
        "Upgrade the client; lower the metadata's age as a stopgap ({metadata.max.age.ms}); look at proxies that "
        "rewrite broker addresses."
    )

    def wanted(self, call: Call) -> bool:
        """Look at clients: brokers and controllers learn of leaders by other ways."""
        return call.api_key in _LEADER_APIS and not is_follower(request_of(call))

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Count each topic apart."""
        return self.topic_or_id(call, error)

    def call(self, seen: SeenCall) -> None:
        """Begin anew where a client asks for metadata."""
        if seen.call.response is None:
            return
        for topic in response_of(seen.call).get("topics", ()):
            state = self.states.get(ErrorKey(seen.client, self.facts.name_in(topic)))
            if isinstance(state, Refusals):
                state.in_a_row = Bounded(_MOST_CONNECTIONS)
                state.metadata += 1

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire where too many came without metadata in between."""
        assert isinstance(state, Refusals)
        return super().finding(key, state) if state.most >= self.limits[self.least] else None

    def count(self, key: Hashable, call: Call, error: FieldError) -> None:
        """Count one call, and those of its connection that were sent since the first refusal was known."""
        super().count(key, call, error)
        state = self.state(key)
        assert isinstance(state, Refusals)
        assert call.request is not None
        count, known, latest = state.in_a_row.get(call.connection) or (0, 0, 0)
        if call.ended.time - latest > self.limits["seconds"] * SECOND:
            count, known = 1, call.ended.time
        elif call.request.first.time > known:
            count += 1
        state.in_a_row.put(call.connection, (count, known, call.ended.time))
        # Kafka-python fetches on and on while it waits for metadata.
        if call.ended.time - known >= self.limits["lasting"] * SECOND:
            state.most = max(state.most, count)

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name client and topic, and how often it looked for the leader."""
        assert isinstance(state, Refusals)
        times = f"{state.count:,} times within {seconds_text(state.span_ns)}"
        told = f"{key.client.name} was told {times} that the broker does not lead topic {key.name}"
        if not state.metadata:
            return f"{told}, and never asked for metadata in between."
        asked = counted(state.metadata, "Metadata call")
        return f"{told}, with {asked} in between: up to {state.most:,} refusals came without one."


METADATA_RULES: tuple[type[Rule[Any]], ...] = (
    MetadataStorm,
    NotLeaderLoop,
)
