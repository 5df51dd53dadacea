"""Rules that count calls answered with certain error codes.

Programs that share a client id and a host are told apart by the connections that they hold at the same time.
"""

import re
from collections.abc import Hashable
from typing import Any, ClassVar, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.facts.clients import Client, at_host, client_id_of, client_of
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Names, Tally
from kafkasniff.diagnose.rule import Rule, client_subject, seconds_text, times_text
from kafkasniff.tcp.events import Connection

_STEP = re.compile(r"([A-Za-z]+)(?:\[(\d+)\])?")


class ErrorKey(NamedTuple):
    """Whose errors are counted together."""

    client: Client
    name: str | None
    """Topic, group or the like, by the rule's scope."""


class Programs:
    """How many programs there may be behind one client id and host: connections to one server, open at once."""

    __slots__ = ("_counts", "at_once", "most")

    def __init__(self) -> None:
        """Begin with none."""
        self._counts: dict[Connection, int] = {}
        self.at_once = 1
        self.most = 0
        """The most on one connection."""

    def add(self, on: Connection) -> None:
        """Count a call of a connection."""
        count = self._counts.pop(on, 0) + 1
        for other in [other for other in self._counts if other.ended_by is not None or other.first_fin is not None]:
            del self._counts[other]
        if len(self._counts) >= MOST_NAMES:
            del self._counts[next(iter(self._counts))]
        self._counts[on] = count
        self.most = max(self.most, count)
        if count == 1:
            same_server = sum(set(other.endpoints) & set(on.endpoints) != set() for other in self._counts)
            self.at_once = max(self.at_once, same_server)

    def each(self, count: int) -> int:
        """Give how many of `count` calls one program made at least."""
        return max(self.most, count // self.at_once)


class ErrorTally(Tally):
    """Calls with the error, and what they named."""

    __slots__ = ("client_ids", "codes", "indexes", "programs")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.codes: dict[str, int] = {}
        self.client_ids = Names()
        self.indexes = Names()
        """Numbers of partitions."""
        self.programs = Programs()


def elements(body: dict[str, Any], path: str) -> list[dict[str, Any]]:
    """Give the structures of a body that a field's path passes through, the outermost first."""
    found = [body]
    here: Any = body
    for name, index in _STEP.findall(path):
        here = here.get(name) if isinstance(here, dict) else None
        if index and isinstance(here, list):
            here = here[int(index)] if int(index) < len(here) else None
        if isinstance(here, dict):
            found.append(here)
    return found


def partition_of(call: Call, error: FieldError) -> int | None:
    """Give the number of the partition that an error is about, None where it is about none."""
    item = elements(response_of(call), error.path)[-1] if error.where == "response" else {}
    index = next((item[name] for name in ("partitionIndex", "index", "partition") if name in item), None)
    return index if isinstance(index, int) else None


def partitions_subject(indexes: Names) -> dict[str, Any]:
    """Name partitions in a subject: one, or the first ones of several."""
    return {"partition": indexes.only} if len(indexes) < 2 else {"partitions": sorted(indexes)}


class ErrorRule(Rule[ErrorTally]):
    """Counts the calls of a client whose answer holds one of `codes`; several in one answer count once."""

    state_type: ClassVar[type[Any]] = ErrorTally

    codes: ClassVar[frozenset[int]]
    ends_connections: ClassVar[bool] = False
    """Whether a client needs a new connection after the error: those without client id are known by their host."""
    least: ClassVar[str] = "calls"
    """Name of the threshold: from so many calls on the rule fires."""

    def wanted(self, call: Call) -> bool:
        """Tell whether a call counts at all."""
        return True

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Give what is counted apart within a client."""
        return None

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Take a call that is wanted, with the errors among `codes` that it brought."""
        counted = set()
        client = at_host(client_of(call)) if self.ends_connections else client_of(call)
        for error in errors:
            name = self.name_of(call, error)
            if name in counted:
                continue
            counted.add(name)
            self.count(ErrorKey(client, name), call, error)

    def count(self, key: Hashable, call: Call, error: FieldError) -> None:
        """Count one call for a key."""
        state = self.state(key)
        assert call.response is not None
        what = f"{call.api_name} v{call.api_version} answered with {error.name} ({error.code}) in {error.path}"
        state.add(call.response.last, what, call, self.topic_of(call, error))
        state.codes[error.name] = state.codes.get(error.name, 0) + 1
        state.client_ids.add(client_id_of(call) or None)
        state.programs.add(call.connection)
        state.indexes.add(partition_of(call, error))

    def topic_of(self, call: Call, error: FieldError) -> str | None:
        """Give the topic that an error is about, None where it is about none or its id is not known."""
        body = response_of(call) if error.where == "response" else request_of(call)
        for item in reversed(elements(body, error.path)[1:]):
            name = self.facts.name_in(item)
            if name is not None:
                return name
        return None

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire from the threshold on."""
        if state.programs.each(state.count) < self.limits[self.least]:
            return None
        assert isinstance(key, ErrorKey)
        subject = client_subject(key.client, state.clients) | {
            "topic": state.topics.only,
            **partitions_subject(state.indexes),
        }
        return self.make(state, subject | self.more_subject(key), self.summary(key, state))

    def more_subject(self, key: ErrorKey) -> dict[str, Any]:
        """Give what else a finding's subject names."""
        return {}

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Say in one sentence what happened."""
        names = ", ".join(f"{name} {times_text(count)}" for name, count in state.codes.items())
        topics = f" for topic {', '.join(state.topics)}" if len(state.topics) else ""
        span = f" within {seconds_text(state.span_ns)}" if state.count > 1 else ""
        return f"{key.client.name} got {names}{topics}{span}."

    def topic_or_id(self, call: Call, error: FieldError) -> str | None:
        """Give the topic that an error is about, by id where its name is not known: topics are not to be mixed up."""
        topic = self.topic_of(call, error)
        if topic is None and error.where == "response":
            ids = [item["topicId"] for item in elements(response_of(call), error.path) if item.get("topicId")]
            topic = f"with id {ids[-1]}" if ids else None
        return topic


class TopicErrorRule(ErrorRule):
    """Counts each topic of a client apart."""

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Give the topic."""
        return self.topic_or_id(call, error)
