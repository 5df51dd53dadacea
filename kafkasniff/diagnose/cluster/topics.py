# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about topics that are not there, may not be named so, or are there already."""

from collections.abc import Hashable
from typing import Any

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.reports import Gap
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorTally, TopicErrorRule
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.sides import client_direction
from kafkasniff.diagnose.facts.whole_bodies import is_follower, request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.rule import WITH_STATES, Rule, Threshold
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import (
    CREATE_TOPICS,
    DELETE_TOPICS,
    DESCRIBE_TOPIC_PARTITIONS,
    FETCH,
    METADATA,
    PRODUCE,
)
from kafkasniff.protocol.error_codes.numbers import (
    INVALID_TOPIC_EXCEPTION,
    TOPIC_ALREADY_EXISTS,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from kafkasniff.tcp.events import Connection

_MOST_MISSED = 64
"""Unknown topics of one client that may yet appear."""


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


TOPIC_RULES: tuple[type[Rule[Any]], ...] = (
    UnknownTopicLoop,
    InvalidTopic,
    TopicAlreadyExists,
)
