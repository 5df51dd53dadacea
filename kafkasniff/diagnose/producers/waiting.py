# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about producers that wait: for slow acknowledgements, or longer than their transactions may last."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.error_rule import ErrorRule, ErrorTally
from kafkasniff.diagnose.facts.answers import metadata_answer
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.whole_bodies import request_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Tally
from kafkasniff.diagnose.producers.transactions import transaction_of
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, counted, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import (
    ADD_OFFSETS_TO_TXN,
    ADD_PARTITIONS_TO_TXN,
    API_VERSIONS,
    END_TXN,
    FIND_COORDINATOR,
    HEARTBEAT,
    INIT_PRODUCER_ID,
    LIST_OFFSETS,
    METADATA,
    PRODUCE,
    TXN_OFFSET_COMMIT,
)
from kafkasniff.protocol.error_codes.numbers import (
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    PRODUCER_FENCED,
    UNKNOWN_PRODUCER_ID,
)
from kafkasniff.tcp.events import Connection

_ALL = -1
"""Of `acks`: all replicas in sync."""
_QUICK = frozenset({METADATA, API_VERSIONS, FIND_COORDINATOR, HEARTBEAT, LIST_OFFSETS})
"""APIs that a broker answers by itself at once."""
_WITHOUT_ADDING = 12
"""Version of Produce from which on it begins a transaction by itself (KIP-890)."""


class ServedBy(NamedTuple):
    """A producer and the broker that it writes to."""

    client: Client
    server: str


class Delays(Tally):
    """Acknowledgements that took long."""

    __slots__ = ("connection", "longest", "total")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.longest = 0
        self.total = 0
        """Nanoseconds, both."""
        self.connection: Connection | None = None
        """The latest."""


def _held_up(seen: SeenCall) -> bool:
    """Tell whether something else than a replica made a write wait: a quota, or lost segments."""
    assert seen.call.request is not None
    throttled = seen.throttle_ms > 0 or seen.history.muted_until > seen.call.request.last.time
    return throttled or any(counter.late_retransmissions for counter in seen.call.connection.counters)


class SlowAcknowledgement(Rule[Delays]):
    """Writes wait for a slow replica."""

    id = "slow-acknowledgement"
    title = "Acknowledgements of all replicas take long"
    severity = "warning"
    scope = "client and server"
    state_type = Delays
    sampled = frozenset({METADATA})
    thresholds = (
        Threshold("milliseconds", 1_000, "ms", "from the request's last byte on; replicas fetch twice a second"),
        Threshold("calls", 3, "calls", "that took so long"),
        Threshold("seconds", 5, "s", "or else in all, and so large a share of the time"),
        Threshold("share", 0.2, "", "of the time for which the connection was seen"),
    )
    meaning = "The producer stands still while the leader waits for a follower, until it takes it out of the ISR."
    wire = "Produce with acks=all answered after a second and more, while the broker answers other requests at once."
    cause = (
        "A follower is slow or stands still (disk, garbage collection, network); the leader waits for it for up to "
        "replica.lag.time.max.ms (default 30 s). Or the leader's own disk is slow."
    )
    fix = (
        "Look at the brokers that hold the topic's other replicas (under-replicated partitions, disk latency, GC), and "
        "restart or replace the slow one. A lower replica.lag.time.max.ms drops it sooner; acks=1 does not wait, and "
        "loses records when the leader fails."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no broker known to be slow."""
        super().__init__(*arguments)
        self._slow: Bounded[int] = Bounded()
        """Requests that a server should have answered at once and did not, by it."""
        self._lagging: Bounded[list[int]] = Bounded()
        """By topic, the brokers with replicas that have left the ISR of one of its partitions."""

    def samples(self, seen: SeenCall) -> None:
        """Note which replicas are out of sync."""
        for topic, lagging in metadata_answer(seen.call).lagging():
            name = self.facts.name_in(topic)
            if name is not None:
                self._lagging.put(name, lagging)

    def unanswered(self, call: Call) -> None:
        """Count requests that a broker did not answer, and should have at once."""
        if call.api_key in _QUICK and call.request is not None:
            waited = call.ended.time - call.request.last.time
            if waited >= self.limits["milliseconds"] * MILLISECOND:
                self._note_slow(call.server)

    def _note_slow(self, server: str) -> None:
        self._slow.put(server, (self._slow.get(server) or 0) + 1)

    def slow(self, seen: SeenCall) -> None:
        """Count writes to all replicas that were acknowledged late, and other requests that were answered late."""
        call = seen.call
        took = call.response_delay_ns or 0
        if took < self.limits["milliseconds"] * MILLISECOND:
            return
        if seen.key in _QUICK:
            self._note_slow(call.server)
        request = request_of(call) if seen.key == PRODUCE else {}
        if request.get("acks") != _ALL or seen.failed or _held_up(seen):
            return
        state = self.state(ServedBy(seen.client, call.server))
        state.total += took
        state.longest = max(state.longest, took)
        state.connection = call.connection
        topics = [self.facts.name_in(topic) for topic in request["topicData"][:MOST_NAMES]]
        state.add(seen.call.ended, f"Produce acknowledged after {seconds_text(took)}", call)
        for topic in topics:
            state.topics.add(topic)

    def finding(self, key: Any, state: Delays) -> Finding | None:
        """Fire where it happens often, or for much of the time, and the broker is quick otherwise."""
        assert isinstance(key, ServedBy)
        assert state.connection is not None
        span = state.connection.last.time - state.connection.first.time
        much = state.total >= self.limits["seconds"] * SECOND and state.total >= self.limits["share"] * span
        if (state.count < self.limits["calls"] and not much) or (self._slow.get(key.server) or 0) >= state.count:
            return None
        topics = f" (topic {', '.join(state.topics)})" if len(state.topics) else ""
        summary = (
            f"{key.server} acknowledged {counted(state.count, 'write')} of {key.client.name}{topics} with acks=all "
            f"late, up to {seconds_text(state.longest)}, and answered other requests at once."
        )
        lagging = sorted({node for topic in state.topics for node in self._lagging.get(topic) or ()})
        if lagging:
            summary += f" Out of sync, by Metadata: the replicas on broker {', '.join(map(str, lagging))}."
        subject = client_subject(key.client, state.clients) | {"server": key.server, "topic": state.topics.only}
        return self.make(state, subject, summary)


class Transaction:
    """The open transaction of a transactional id."""

    __slots__ = ("begun", "client", "last", "timeout")

    def __init__(self) -> None:
        """Begin with none open."""
        self.timeout = 0
        """How long it may last (ns); 0 where that is not known."""
        self.begun = 0
        """When its first request was sent (ns); 0 where none is open."""
        self.last = 0
        """When its latest was (ns)."""
        self.client: Client | None = None


class Expiries(ErrorTally):
    """Transactions that lasted too long."""

    __slots__ = ("lasted", "pause", "timeout")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.pause = 0
        self.lasted = 0
        self.timeout = 0
        """Nanoseconds, all; of the latest."""


class TransactionTimedOut(ErrorRule):
    """A transaction lasts longer than it may."""

    id = "transaction-timed-out"
    title = "A transaction timed out, and its producer was fenced"
    severity = "error"
    scope = "transactional id"
    looks_across_clients = True
    state_type = Expiries
    codes = frozenset({INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE, UNKNOWN_PRODUCER_ID, PRODUCER_FENCED})
    apis = frozenset({INIT_PRODUCER_ID, ADD_PARTITIONS_TO_TXN, ADD_OFFSETS_TO_TXN, END_TXN, TXN_OFFSET_COMMIT, PRODUCE})
    request_fields = frozenset({"transactionalId", "v3AndBelowTransactionalId", "transactionTimeoutMs"})
    response_fields = frozenset({"errorCode"})
    thresholds = (
        Threshold("calls", 1, "calls", "each is an aborted transaction, after which the producer begins anew"),
    )
    meaning = (
        "The coordinator aborted the transaction and raised the producer's epoch; there is no second producer. The "
        "program must make a new producer and do the transaction's work again."
    )
    wire = (
        "A transaction is begun, and longer than transactionTimeoutMs (of InitProducerId) later the same producer gets "
        "47, 48, 59 or 90, with no InitProducerId in between."
    )
    cause = (
        "The process stood still (garbage collection, a frozen host or container), or the transaction's work takes "
        "longer than it may ({transaction.timeout.ms})."
    )
    fix = (
        "Find what stopped the process at that time (GC logs, CPU limits, VM migration); put less into one "
        "transaction, or leave it more time ({transaction.timeout.ms}), up to the brokers' transaction.max.timeout.ms "
        "(default 15 minutes). After this error close the producer, make a new one, and repeat the transaction's work."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no transaction open."""
        super().__init__(*arguments)
        self._open: Bounded[Transaction] = Bounded()

    def version(self, api_key: int, version: int) -> bool:
        """Look at Produce where it begins transactions by itself."""
        return api_key != PRODUCE or version >= _WITHOUT_ADDING

    def call(self, seen: SeenCall) -> None:
        """Follow each transaction."""
        name = transaction_of(seen.request)
        if name is None:
            return
        transaction = self._open.touch(name, Transaction)
        if seen.key == INIT_PRODUCER_ID:
            transaction.begun = 0
            transaction.timeout = seen.request.get("transactionTimeoutMs", 0) * MILLISECOND
            transaction.client = seen.client
        elif seen.failed or seen.call.response is None:
            return
        elif seen.key == END_TXN:
            transaction.begun = 0
        else:
            transaction.begun = transaction.begun or seen.sent
            transaction.last = max(transaction.last, seen.sent)

    def wanted(self, call: Call) -> bool:
        """Look at transactions that lasted too long."""
        name = transaction_of(request_of(call))
        transaction = self._open.get(name) if name is not None else None
        if transaction is None or not transaction.begun or not transaction.timeout or call.request is None:
            return False
        alone = transaction.client in (None, client_of(call))
        return alone and call.request.first.time - transaction.begun > transaction.timeout

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Count a transaction once."""
        name = transaction_of(request_of(call))
        transaction = self._open.get(name)
        assert transaction is not None
        assert call.request is not None
        self.count(name, call, errors[0])
        state = self.state(name)
        assert isinstance(state, Expiries)
        sent = call.request.first.time
        state.pause, state.lasted, state.timeout = (
            sent - transaction.last,
            sent - transaction.begun,
            transaction.timeout,
        )
        transaction.begun = 0

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(state, Expiries)
        if state.count < self.limits[self.least]:
            return None
        still = state.pause > state.timeout
        why = f"its producer was silent for {seconds_text(state.pause)}" if still else "its producer was never silent"
        names, clients = ", ".join(state.codes), list(state.client_ids)
        summary = (
            f"A transaction of {key} lasted {seconds_text(state.lasted)}, longer than its timeout of "
            f"{seconds_text(state.timeout)}: {why}, and got {names}. It is alone with its transactional id."
        )
        if state.count > 1:
            summary = f"{summary} This happened {times_text(state.count)}."
        subject = {
            "transactionalId": short_name(str(key)),
            "clientId": clients[0] if len(clients) == 1 else clients,
            "client": state.clients.only,
            "topic": state.topics.only,
        }
        return self.make(state, subject, summary)


WAITING_RULES: tuple[type[Rule[Any]], ...] = (SlowAcknowledgement, TransactionTimedOut)
