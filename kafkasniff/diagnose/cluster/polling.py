# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about what tools and typing errors do to a cluster: admin requests without pause, topics made by chance."""

from difflib import get_close_matches
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorTally, TopicErrorRule
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.whole_bodies import request_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND, BusySeconds, Rate
from kafkasniff.diagnose.memory.tallies import MOST_EVIDENCE, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import CREATE_TOPICS, FETCH, LIST_OFFSETS, METADATA, OFFSET_FETCH, PRODUCE
from kafkasniff.protocol.error_codes.numbers import LEADER_NOT_AVAILABLE, UNKNOWN_TOPIC_OR_PARTITION
from kafkasniff.protocol.headers import api_name

_DESCRIBING = frozenset({LIST_OFFSETS, OFFSET_FETCH, 15, 16, 32, 35, 69, 77, 90})
"""With DescribeGroups, ListGroups, DescribeConfigs, DescribeLogDirs, and what describes groups of the newer kinds."""
_MOST_TOPICS = 10_000
_FIRST_WITH_ALLOWED = 4
"""Version of Metadata that says whether topics may be made (KIP-204); before they always might."""


class Polls(Tally):
    """The rate of a client's admin requests."""

    __slots__ = ("apis", "seconds", "window")

    def __init__(self, least: int, wanted: int, window_ns: int) -> None:
        """Count seconds with `least` requests, and requests within a window."""
        super().__init__()
        self.seconds = BusySeconds(least, wanted)
        self.window = Rate(window_ns, 1_000)
        self.apis: dict[int, int] = {}


class AdminPolling(Rule[Polls]):
    """A client asks for groups, offsets and configurations all the time."""

    id = "admin-polling"
    title = "A tool asks for groups, offsets and configurations all the time"
    severity = "warning"
    scope = "client"
    apis = _DESCRIBING
    thresholds = (
        Threshold(
            "per_second", 20, "requests/s", "a consumer asks a few times when it starts, exporters once a minute"
        ),
        Threshold("seconds", 3, "s", "close together; a tool that lists everything once is done sooner"),
        Threshold("within", 10, "s", "for which that is the average"),
    )
    meaning = "Each such request makes the broker look into its logs or all of its groups; together they slow others."
    wire = (
        "ListOffsets, OffsetFetch, DescribeGroups, ListGroups, DescribeLogDirs and DescribeConfigs, twenty and more a "
        "second from one client."
    )
    cause = "A lag exporter or monitoring tool with a tiny interval, or a program that asks for offsets in a loop."
    fix = "Raise the interval to 30 s and more; ask for all groups and partitions in one request."

    def new_state(self) -> Polls:
        """Begin with none."""
        return Polls(int(self.limits["per_second"]), int(self.limits["seconds"]), int(self.limits["within"] * SECOND))

    def call(self, seen: SeenCall) -> None:
        """Count answered requests."""
        if seen.call.response is None:
            return
        state = self.state(seen.client)
        state.seconds.add(seen.sent, seen.call.server, seen.call.connection)
        state.window.add(seen.sent)
        state.apis[seen.key] = state.apis.get(seen.key, 0) + 1
        if state.count < MOST_EVIDENCE:
            state.add(seen.call.ended, api_name(seen.key), seen.call)
        else:
            state.count += 1
            state.last = seen.call.ended
            state.clients.add(seen.call.client)

    def finding(self, key: Any, state: Polls) -> Finding | None:
        """Fire where several seconds were busy."""
        assert isinstance(key, Client)
        if not state.seconds.fired or state.window.peak < self.limits["per_second"] * self.limits["within"]:
            return None
        apis = sorted(state.apis.items(), key=lambda item: -item[1])
        listed = ", ".join(f"{api_name(api)} {count:,}" for api, count in apis)
        summary = (
            f"{key.name} sent {state.count:,} admin requests within {seconds_text(state.span_ns)}, up to "
            f"{state.seconds.peak:,} a second ({listed})."
        )
        return self.make(state, client_subject(key, state.clients), summary)


_INTERNAL = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})
"""Topics that brokers make for themselves when they are first needed (Topic.java)."""


class MadeTopic(NamedTuple):
    """A topic that a client asked for."""

    client: Client
    topic: str


class Made(ErrorTally):
    """A topic that was not there, and then was."""

    __slots__ = ("latest", "missing", "there", "written")

    def __init__(self) -> None:
        """Begin with a topic that is not there."""
        super().__init__()
        self.missing = 0
        """When it was last said not to be there (ns)."""
        self.there = False
        self.written = False
        """Whether somebody writes to it, or has made it on purpose."""
        self.latest = 0
        """When it was last read in vain (ns)."""


class TopicAutoCreated(TopicErrorRule):
    """A client's Metadata request makes a topic."""

    id = "topic-auto-created"
    title = "A topic is made just as a client asks for it"
    severity = "info"
    scope = "client and topic"
    looks_across_clients = True
    state_type = Made
    codes = frozenset({UNKNOWN_TOPIC_OR_PARTITION, LEADER_NOT_AVAILABLE})
    apis = frozenset({METADATA, CREATE_TOPICS, FETCH})
    used = frozenset({PRODUCE})
    request_fields = frozenset({"topics", "name", "topicId", "topic"})
    response_fields = frozenset({"topics", "name", "topicId", "errorCode"})
    thresholds = (
        Threshold("seconds", 5, "s", "between the error and the topic; a broker makes it at once"),
        Threshold("empty", 3, "s", "for which nobody writes to it while it is read; then it is a warning"),
    )
    meaning = "The topic has the broker's defaults, and may be one that nobody meant: what is read from it stays empty."
    wire = (
        "Metadata that allows topics to be made (allowAutoTopicCreation) answers 3 or 5 for a topic, and the next with "
        "its partitions, without CreateTopics."
    )
    cause = "auto.create.topics.enable=true (the default), and a new topic, or a misspelt name."
    fix = (
        "Correct the name, and delete the topic. Set auto.create.topics.enable=false on the brokers, or let "
        "clients make none ({allow.auto.create.topics}), and create topics on purpose."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no topic known."""
        super().__init__(*arguments)
        self._watched: Bounded[list[MadeTopic]] = Bounded()
        """By topic, who missed it."""
        self._reads: Bounded[set[str]] = Bounded()
        """By client, which of them it fetches: later fetches of a session name none (KIP-227)."""
        self._known: Bounded[bool] = Bounded(_MOST_TOPICS)
        """Topics that are there."""
        self._written: Bounded[bool] = Bounded(_MOST_TOPICS)
        """Those that are written to, by the first Produce of connections."""

    def wanted(self, call: Call) -> bool:
        """Look at Metadata that may make topics."""
        if call.api_key != METADATA:
            return False
        allowed = request_of(call).get("allowAutoTopicCreation", True)
        return bool(allowed or (call.api_version or 0) < _FIRST_WITH_ALLOWED)

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Note topics that are not there, and were not before."""
        assert call.response is not None
        for error in errors:
            topic = self.topic_of(call, error)
            if topic is None or topic in _INTERNAL or self._known.get(topic) or "].partitions[" in error.path:
                continue
            key = MadeTopic(client_of(call), topic)
            state = self.state(key)
            assert isinstance(state, Made)
            state.missing = call.response.last.time
            watched = self._watched.touch(topic, list)
            if key not in watched and len(watched) < 8:
                watched.append(key)
            if not state.count:
                state.add(call.response.last, f"Metadata: {error.name} for {topic}", call, topic)

    def uses(self, seen: SeenCall) -> None:
        """Learn which topics are written to."""
        for topic in request_of(seen.call).get("topicData", ()):
            name = self.facts.name_in(topic)
            if name is not None:
                self._written.put(name, True)
                self._on_purpose(name)

    def call(self, seen: SeenCall) -> None:
        """See topics appear, and whether somebody writes to them."""
        if seen.key == METADATA:
            if len(self._watched):
                self._others(seen)
            for topic in seen.response.get("topics", ()):
                name = self.facts.name_in(topic)
                if name is not None and not topic["errorCode"]:
                    self._there(seen, name)
        elif not len(self._watched):
            return
        elif seen.key == FETCH:
            self._read(seen)
        else:
            for topic in seen.request.get("topics", ()):
                self._on_purpose(self.facts.name_in(topic))

    def _others(self, seen: SeenCall) -> None:
        """Note that other programs use a topic as well: they may write to it."""
        for topic in seen.request.get("topics") or ():
            name = self.facts.name_in(topic)
            if any(key.client.client_id != seen.client.client_id for key in self._watched.get(name) or ()):
                self._on_purpose(name)

    def _there(self, seen: SeenCall, name: str) -> None:
        new = self._known.get(name) is None
        self._known.put(name, True)
        for key in (self._watched.get(name) or ()) if new else ():
            state = self.states.get(key)
            if not isinstance(state, Made) or state.there:
                continue
            if seen.ended - state.missing > self.limits["seconds"] * SECOND:
                self.states.pop(key)
                continue
            state.there = True
            state.add(seen.call.ended, f"Metadata: {name} is there", seen.call, name)

    def _on_purpose(self, name: str | None) -> None:
        for key in self._watched.get(name) or ():
            state = self.states.get(key)
            if isinstance(state, Made):
                state.written = True

    def _read(self, seen: SeenCall) -> None:
        """Note that a client reads its topic, in which there may be records."""
        names = {self.facts.name_in(topic) for topic in seen.request.get("topics") or ()}
        watched = {name for name in names if name is not None and self._watched.get(name) is not None}
        if watched:
            self._reads.touch(seen.client, set).update(watched)
        filled = [place.path for place in seen.told_records if place.end > place.start]
        for name in self._reads.get(seen.client) or ():
            for key in self._watched.get(name) or ():
                state = self.states.get(key)
                if isinstance(state, Made):
                    state.latest = seen.ended
                    state.written |= any(self._topic(seen.call, path) == name for path in filled)

    def _topic(self, call: Call, path: str) -> str | None:
        return self.topic_of(call, FieldError("response", path, 0, ""))

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire where a topic appeared as it was asked for."""
        assert isinstance(key, MadeTopic)
        assert isinstance(state, Made)
        if not state.there or state.written:
            return None
        empty = state.latest - state.missing >= self.limits["empty"] * SECOND
        others = [name for name, _ in self._written.items() if name != key.topic]
        near = get_close_matches(key.topic, others[:1_000], n=1, cutoff=0.8)
        hint = f" {near[0]} has a name like it, and is written to." if near else ""
        summary = (
            f"Topic {key.topic} was made as {key.client.name} asked for it{', and stays empty' if empty else ''}.{hint}"
        )
        subject = client_subject(key.client, state.clients) | {
            "topic": key.topic,
            "group": self.facts.group(key.client),
        }
        return self.make(state, subject, summary, severity="warning" if empty else "info")


POLLING_RULES: tuple[type[Rule[Any]], ...] = (AdminPolling, TopicAutoCreated)
