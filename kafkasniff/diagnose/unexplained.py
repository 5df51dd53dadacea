"""The net below all rules: errors in answers that no other rule takes."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.error_rule import ErrorRule, ErrorTally, elements
from kafkasniff.diagnose.facts.clients import Client, at_host, client_of
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from kafkasniff.diagnose.finding import Finding, Severity
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND, Rate
from kafkasniff.diagnose.memory.tallies import Names
from kafkasniff.diagnose.normal_errors import ANY_NUMBER, normal_a_minute
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, rough_text, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import (
    ADD_PARTITIONS_TO_TXN,
    CONSUMER_GROUP_HEARTBEAT,
    INIT_PRODUCER_ID,
    JOIN_GROUP,
    PRODUCE,
)
from kafkasniff.protocol.error_codes.by_name import codes_named
from kafkasniff.protocol.error_codes.codes import ERROR_CODES, error_name
from kafkasniff.protocol.error_codes.fixes import ERROR_FIXES
from kafkasniff.protocol.error_codes.notes import note_text
from kafkasniff.protocol.error_codes.numbers import INVALID_TIMESTAMP, UNSUPPORTED_COMPRESSION_TYPE
from kafkasniff.protocol.headers import api_name
from kafkasniff.tcp.events import Connection

FATAL = codes_named(
    "INVALID_GROUP_ID INVALID_SESSION_TIMEOUT ILLEGAL_SASL_STATE INVALID_TXN_STATE "
    "INVALID_PRODUCER_ID_MAPPING INVALID_TRANSACTION_TIMEOUT TRANSACTION_COORDINATOR_FENCED "
    "GROUP_MAX_SIZE_REACHED UNSUPPORTED_ASSIGNOR INVALID_REGISTRATION INVALID_REGULAR_EXPRESSION "
    "STREAMS_INVALID_TOPOLOGY"
)
"""Codes at which a client stops, as the same request cannot succeed later (the fatal ones of Errors.java)."""

_WHILE_STARTING = codes_named("DUPLICATE_BROKER_REGISTRATION")
"""Refusals that are normal until it goes well: what was there before lives on for broker.session.timeout.ms (9 s)."""

_OF_STATE = codes_named(
    "ILLEGAL_SASL_STATE INVALID_TXN_STATE INVALID_PRODUCER_ID_MAPPING TRANSACTION_COORDINATOR_FENCED"
)
"""Codes at which clients stop that earlier calls bring about, of this client or another."""

REFUSED: dict[int, tuple[str, ...]] = {
    4: ("maxBytes", "partitionMaxBytes"),
    7: ("timeoutMs",),
    12: ("committedMetadata",),
    21: ("acks",),
    24: ("groupId", "key"),
    26: ("sessionTimeoutMs",),
    37: ("numPartitions", "count"),
    38: ("replicationFactor",),
    39: ("brokerIds", "replicas"),
    40: ("name", "value", "configName"),
    44: ("numPartitions", "replicationFactor", "configs"),
    50: ("transactionTimeoutMs",),
    57: ("path",),
    60: ("partitionIndexes", "partitionIndex"),
    81: ("groupId",),
    93: ("name", "iterations"),
    95: ("feature", "maxVersionLevel", "upgradeType"),
    96: ("feature", "maxVersionLevel", "upgradeType"),
    101: ("brokerId",),
    104: ("clusterId",),
    112: ("serverAssignor",),
    120: ("transactionalId",),
    128: ("subscribedTopicRegex",),
}
"""By error code, the fields of requests whose values are refused by it."""

_MOST_LOOKED_AT = 200
"""Structures of a request that are looked at for the refused value."""
_LONGEST_VALUE = 80


_WORK = frozenset({PRODUCE, JOIN_GROUP, INIT_PRODUCER_ID, ADD_PARTITIONS_TO_TXN, CONSUMER_GROUP_HEARTBEAT})
"""What producers and members ask for as long as they work."""


class UnexplainedKey(NamedTuple):
    """Whose errors of one kind are counted together."""

    client: Client
    api_key: int
    code: int


class Unexplained(ErrorTally):
    """Calls with the error, what was refused, and what the broker says of it."""

    __slots__ = ("connection", "groups", "messages", "minute", "recovered", "refused", "transactions")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.minute = Rate(60 * SECOND, 10_000)
        self.refused = Names()
        self.messages = Names()
        self.groups = Names()
        self.transactions = Names()
        self.connection: Connection | None = None
        """On which the latest came."""
        self.recovered = False
        """Whether a call of the same kind went well after the latest."""


class UnexplainedError(ErrorRule):
    """An error that no other rule takes."""

    id = "unexplained-error"
    title = "The broker answers with an error"
    severity = "error"
    scope = "client, API and error"
    state_type = Unexplained
    codes = frozenset()
    thresholds = (
        Threshold("calls", 3, "calls", "of one API; what is normal in a client's life is left out"),
        Threshold(
            "silent", 3, "s", "in which a client does nothing more of the kind after an error that it cannot retry"
        ),
        Threshold("fatal", 1, "calls", "with a code at which clients stop, such as 50 INVALID_TRANSACTION_TIMEOUT"),
    )
    meaning = "The broker refuses what the client asks for, with an error that no other rule is about."
    wire = (
        "An error code in an answer, more often than in a healthy client's life (79 while joining, 14 to 16 while a "
        "coordinator moves, and the like), that no other rule takes."
    )
    cause = "What the error code says; the finding has its meaning."
    fix = "By error code; `kafkasniff errors CODE` has it."

    def __init__(self, *arguments: Any) -> None:
        """Begin with no error."""
        super().__init__(*arguments)
        self._codes: Bounded[set[int]] = Bounded()
        """The codes that a client got, by it and the API."""

    def left(self, call: Call, errors: list[FieldError]) -> None:
        """Count each kind of error once for a call."""
        client, api_key = at_host(client_of(call)), call.api_key or 0
        for error in {error.code: error for error in reversed(errors) if error.where == "response"}.values():
            if normal_a_minute(error.code, api_key) >= ANY_NUMBER:
                continue
            key = UnexplainedKey(client, api_key, error.code)
            self.count(key, call, error)
            self._codes.touch((client, api_key), set).add(error.code)
            state = self.state(key)
            assert isinstance(state, Unexplained)
            assert call.response is not None
            state.minute.add(call.response.last.time)
            state.recovered = False
            state.connection = call.connection
            self._look(state, call, error)

    def _look(self, state: Unexplained, call: Call, error: FieldError) -> None:
        """Note what was refused, and what the broker says of it."""
        request = request_of(call)
        for item in reversed(elements(response_of(call), error.path)):
            if item.get("errorMessage"):
                state.messages.add(short_name(item["errorMessage"]))
                break
        for names, field in ((state.groups, "groupId"), (state.transactions, "transactionalId")):
            names.add(short_name(request[field]) if request.get(field) else None)
        if error.code in (INVALID_TIMESTAMP, UNSUPPORTED_COMPRESSION_TYPE):
            for text in _refused_batches(call, error.code):
                state.refused.add(text)
            return
        topic = self.topic_of(call, error)
        for text in _values(request, REFUSED.get(error.code, ()), topic):
            state.refused.add(text)

    def recovers(self, seen: SeenCall) -> None:
        """Note that a client goes on."""
        client = at_host(seen.client)
        topics = {self.facts.name_in(item) for item in _topics(request_of(seen.call))}
        for code in self._codes.get((client, seen.key)) or ():
            state = self.states.get(UnexplainedKey(client, seen.key, code))
            if isinstance(state, Unexplained):
                state.recovered = not len(state.topics) or bool(topics & set(state.topics))

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire from the threshold on, beyond what is normal."""
        assert isinstance(key, UnexplainedKey)
        assert isinstance(state, Unexplained)
        if state.recovered and key.code in _WHILE_STARTING:
            return None
        least = self.limits["fatal" if key.code in FATAL or self._has_stopped(key, state) else self.least]
        normal = normal_a_minute(key.code, key.api_key)
        many = state.programs.each(state.count) >= least
        if not many or (normal and state.minute.peak <= normal * state.programs.at_once):
            return None
        subject = client_subject(key.client, state.clients) | {
            "topic": state.topics.only or list(state.topics),
            "group": state.groups.only,
            "transactionalId": state.transactions.only,
        }
        known, fix = ERROR_CODES.get(key.code), ERROR_FIXES.get(key.code)
        return self.make(
            state,
            subject,
            self._said(key, state),
            cause=note_text(known) if known else "The code is none of those that Kafka had when this was written.",
            fix=fix or "Look the code up in the broker's release.",
            severity=self._severity(key, state),
        )

    def _severity(self, key: UnexplainedKey, state: Unexplained) -> Severity:
        """Say how bad it is: less where the client goes on, or where the calls that brought it about may be lost."""
        assert state.connection is not None
        lossy = any(counter.gaps for counter in state.connection.counters)
        if key.code in _OF_STATE and lossy and state.count < self.limits[self.least]:
            return "info"
        return "warning" if state.recovered else "error"

    def _has_stopped(self, key: UnexplainedKey, state: Unexplained) -> bool:
        """Tell whether the client stopped its work for good after the latest, with its connection open."""
        known, connection = ERROR_CODES.get(key.code), state.connection
        if key.api_key not in _WORK or state.recovered or connection is None or known is None or known.retriable:
            return False
        assert state.last is not None
        return connection.last.time - state.last.time >= self.limits["silent"] * SECOND

    def _said(self, key: UnexplainedKey, state: Unexplained) -> str:
        topics = f" for topic {', '.join(state.topics)}{' and others' if state.topics.more else ''}"
        span = f" within {seconds_text(state.span_ns)}" if state.count > 1 else ""
        text = (
            f"{key.client.name} got {error_name(key.code)} ({key.code}) {times_text(state.count)}{span} from "
            f"{api_name(key.api_key)}{topics if len(state.topics) else ''}"
        )
        refused, messages = list(state.refused), list(state.messages)
        text += f"; refused: {', '.join(refused[:3])}" if refused else ""
        text += f"; the broker says: {messages[0]}" if messages else ""
        return text + ("; such calls went well later." if state.recovered else ".")


def _topics(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the structures of a request that name topics."""
    for name in ("topicData", "topics", "resources"):
        yield from (item for item in (request.get(name) or ())[:_MOST_LOOKED_AT] if isinstance(item, dict))


def _values(request: dict[str, Any], fields: tuple[str, ...], topic: str | None) -> Iterator[str]:
    """Give the values of fields in a request, of those about the topic where there are any."""
    if not fields:
        return
    about = [item for item in _topics(request) if topic and topic in (item.get("name"), item.get("topic"))]
    waiting: list[Any] = about or [request]
    for _ in range(_MOST_LOOKED_AT):
        if not waiting:
            return
        item = waiting.pop(0)
        if isinstance(item, list):
            waiting += item[:_MOST_LOOKED_AT]
        elif isinstance(item, dict):
            for name, value in item.items():
                if name in fields and value not in (None, "", []):
                    yield f"{name} {short_name(str(value))[:_LONGEST_VALUE]}"
                elif isinstance(value, list | dict):
                    waiting.append(value)


def _refused_batches(call: Call, code: int) -> Iterator[str]:
    """Say what the batches of a Produce request are refused for: their timestamps or their codec."""
    assert call.request is not None
    for where, _, batch in call.batch_headers[:_MOST_LOOKED_AT]:
        if where != "request":
            continue
        if code == UNSUPPORTED_COMPRESSION_TYPE:
            yield f"compression {batch.compression}"
            continue
        now = call.request.first.time
        ahead = (batch.max_timestamp or 0) * MILLISECOND - now
        behind = now - (batch.base_timestamp or 0) * MILLISECOND
        if ahead > 0:
            yield f"timestamps {rough_text(ahead)} ahead of the capture's clock"
        else:
            yield f"timestamps {rough_text(behind)} behind the capture's clock"


UNEXPLAINED_RULES: tuple[type[Rule[Any]], ...] = (UnexplainedError,)
