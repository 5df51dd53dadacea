# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about metadata: topics, leaders, and how often clients ask."""

from collections.abc import Hashable
from typing import Any

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.reports import Gap
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally, TopicErrorRule
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.sides import client_direction
from kafkasniff.diagnose.facts.whole_bodies import is_follower, request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND, BusySeconds
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Tally
from kafkasniff.diagnose.rule import WITH_STATES, Rule, Threshold, client_subject, counted, seconds_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import (
    CREATE_TOPICS,
    DELETE_TOPICS,
    DESCRIBE_TOPIC_PARTITIONS,
    FETCH,
    LIST_OFFSETS,
    METADATA,
    OFFSET_FOR_LEADER_EPOCH,
    PRODUCE,
    SHARE_FETCH,
)
from kafkasniff.protocol.error_codes.numbers import (
    INVALID_TOPIC_EXCEPTION,
    NOT_LEADER_OR_FOLLOWER,
    TOPIC_ALREADY_EXISTS,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from kafkasniff.tcp.events import Connection

_MOST_CONNECTIONS = 64
"""Connections of one client that are told apart."""
_MOST_MISSED = 64
"""Unknown topics of one client that may yet appear."""
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


class Missed(ErrorTally):
    """Answers that a topic is unknown, and the connection of the latest to a client that wants to use it."""

    __slots__ = ("connection", "direction")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.connection: Connection | None = None
        self.direction = 0
        """That in which the client sends there."""

    def given_up(self) -> bool:
        """Tell whether the client closed the connection, of which nothing is missing.

        Calls beside lost bytes are known late: other connections may have shown the topic meanwhile.
        """
        on = self.connection
        if on is None or any(counter.gaps for counter in on.counters):
            return False
        return on.ended_by in ("fin", "rst") and on.ended_direction == self.direction

    def waited_ns(self) -> int:
        """Give for how long the connection lived on."""
        assert self.last is not None
        return self.connection.last.time - self.last.time if self.connection is not None else 0


class UnknownTopicLoop(TopicErrorRule):
    """A client uses a topic that is not there."""

    id = "unknown-topic-loop"
    title = "A client uses a topic that does not exist"
    severity = "error"
    scope = "client and topic"
    state_type = Missed
    codes = frozenset({UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID})
    apis = frozenset({METADATA, PRODUCE, FETCH, CREATE_TOPICS, DESCRIBE_TOPIC_PARTITIONS})
    only = dict.fromkeys(apis, WITH_STATES)
    thresholds = (
        Threshold("calls", 1, "calls", "kafkajs, kafka-go and franz-go ask once or twice, and then give up or wait"),
        Threshold(
            "again", 5, "calls", "measured: a topic that is created meanwhile brings up to six, and then appears"
        ),
        Threshold("still", 3, "s", "for which a client's connection lives on after fewer, where it does not close it"),
    )
    meaning = "The client waits for a topic that nobody creates; its sends fail after max.block.ms."
    wire = (
        "Error 3 UNKNOWN_TOPIC_OR_PARTITION, or 100 UNKNOWN_TOPIC_ID, for a topic that stays unknown to the end of the "
        "capture."
    )
    cause = "A misspelt or deleted topic; or auto.create.topics.enable is off and the topic was never created."
    fix = "Create the topic (kafka-topics.sh --create), or correct its name in the client's configuration."

    def __init__(self, *arguments: Any) -> None:
        """Begin with nothing missed."""
        super().__init__(*arguments)
        self._missed: Bounded[set[str]] = Bounded()

    def call(self, seen: SeenCall) -> None:
        """Forget the errors of topics that are there after all."""
        missed = self._missed.get(seen.client)
        if not missed or seen.call.response is None:
            return
        call = seen.call
        failed = {self.name_of(call, error) for error in call.errors}
        response = response_of(call)
        for topic in response.get("topics") or response.get("responses") or ():
            name = self.facts.name_in(topic)
            if name is None and topic.get("topicId") and not failed:
                # Works with a topic whose name was not captured: it may be any.
                self._forget(seen.client)
            elif name in missed and name not in failed:
                missed.discard(name)
                self.states.pop(ErrorKey(seen.client, name))

    def gap(self, gap: Gap) -> None:
        """Forget what a client was told before bytes were lost: the topic may have appeared in them."""
        client = self.facts.client(gap.connection)
        if client is not None:
            self._forget(client)

    def _forget(self, client: Client) -> None:
        for name in self._missed.pop(client) or ():
            self.states.pop(ErrorKey(client, name))

    def wanted(self, call: Call) -> bool:
        """Look at clients that use topics: a deletion may come twice, and replicas are made a moment later."""
        return call.api_key != DELETE_TOPICS and not is_follower(request_of(call))

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Count topics that have a name."""
        missed = self._missed.touch(client_of(call), set)
        named = []
        for error in errors[:_MOST_MISSED]:
            name = self.name_of(call, error)
            if name is not None and (name in missed or len(missed) < _MOST_MISSED):
                missed.add(name)
                named.append(error)
        super().errors(call, named)

    def count(self, key: Hashable, call: Call, error: FieldError) -> None:
        """Count a call, and note its connection where the client wants to use the topic: admin tools create none."""
        super().count(key, call, error)
        state = self.state(key)
        assert isinstance(state, Missed)
        if call.api_key == METADATA and request_of(call).get("allowAutoTopicCreation", True):
            state.connection, state.direction = call.connection, client_direction(call)

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire where it goes on, or where the client gives up, or lives on, without the topic."""
        assert isinstance(state, Missed)
        goes_on = state.programs.each(state.count) >= self.limits["again"]
        waits = state.waited_ns() >= self.limits["still"] * SECOND
        return super().finding(key, state) if goes_on or waits or state.given_up() else None

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name the topic, or its id, and say where the client gave up."""
        assert isinstance(state, Missed)
        text = super().summary(key, state)
        if not len(state.topics):
            text = text.replace(" within ", f" for the topic {key.name} within ", 1)
        return f"{text[:-1]}, and closed the connection." if state.given_up() else text


class Unallowed(ErrorTally):
    """Refusals of a topic's name."""

    __slots__ = ("used",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.used = False
        """Whether a client wanted to use the topic: who creates one in vain is told by its tool."""


class InvalidTopic(TopicErrorRule):
    """A topic name that is not allowed."""

    id = "invalid-topic"
    title = "The topic's name is not allowed"
    severity = "error"
    scope = "client and topic"
    state_type = Unallowed
    codes = frozenset({INVALID_TOPIC_EXCEPTION})
    thresholds = (
        Threshold("calls", 1, "calls", "franz-go asks once and gives the program an error"),
        Threshold("again", 3, "calls", "the same request cannot succeed later"),
    )
    meaning = "Names have up to 249 of a-z, A-Z, 0-9, '.', '_' and '-'; the broker refuses any other."
    wire = "Error 17 INVALID_TOPIC_EXCEPTION; again and again is the error."
    cause = "A name made of parts that hold spaces, slashes or nothing, or one that was never meant for Kafka."
    fix = "Correct the topic's name in the client's configuration."

    def count(self, key: Hashable, call: Call, error: FieldError) -> None:
        """Count a call, and note what it was for."""
        super().count(key, call, error)
        state = self.state(key)
        assert isinstance(state, Unallowed)
        state.used |= call.api_key != CREATE_TOPICS

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire at once for who uses the topic, and for others where it goes on."""
        assert isinstance(state, Unallowed)
        goes_on = state.programs.each(state.count) >= self.limits["again"]
        return super().finding(key, state) if state.used or goes_on else None


class TopicAlreadyExists(TopicErrorRule):
    """A program creates a topic that is there."""

    id = "topic-already-exists"
    title = "A topic is created again and again"
    severity = "warning"
    scope = "client and topic"
    codes = frozenset({TOPIC_ALREADY_EXISTS})
    thresholds = (Threshold("calls", 4, "calls", "programs that create their topics at each start bring one each"),)
    meaning = "The program tries to create a topic that exists, and does not take that for an answer."
    wire = "CreateTopics answered with 36 TOPIC_ALREADY_EXISTS, again and again."
    cause = "A retry loop that takes TopicExistsException for a failure."
    fix = "Take TopicExistsException for success, or look with DescribeTopics before creating."


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
    UnknownTopicLoop,
    InvalidTopic,
    TopicAlreadyExists,
    NotLeaderLoop,
)
