# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about transactions."""

from collections.abc import Hashable, Mapping
from typing import Any, ClassVar, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.whole_bodies import request_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Tally
from kafkasniff.diagnose.rule import WITH_STATES, Rule, Threshold, client_subject, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import BEHIND, TRANSACTIONAL, SeenCall
from kafkasniff.protocol.api_keys import (
    ADD_OFFSETS_TO_TXN,
    ADD_PARTITIONS_TO_TXN,
    END_TXN,
    FETCH,
    FIND_COORDINATOR,
    INIT_PRODUCER_ID,
    PRODUCE,
)
from kafkasniff.protocol.error_codes.numbers import (
    CONCURRENT_TRANSACTIONS,
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    PRODUCER_FENCED,
)
from kafkasniff.tcp.events import Connection

_FIRST_OF_BROKERS = 4
"""Version of AddPartitionsToTxn from which on brokers send it, for many transactions (KIP-890)."""
_OF_TRANSACTION = 1
"""`keyType` of FindCoordinator for a transactional id."""
_MOST_PRODUCERS = 16
"""Transactional producers that are remembered of a topic."""


def transaction_of(request: dict[str, Any]) -> str | None:
    """Give the transactional id that a request names."""
    name = request.get("transactionalId") or request.get("v3AndBelowTransactionalId")
    return short_name(str(name)) if name else None


class ProducerFenced(ErrorRule):
    """Producers with the same transactional id throw each other out."""

    id = "producer-fenced"
    title = "Producers share a transactional id"
    severity = "error"
    scope = "transactional id"
    looks_across_clients = True
    codes = frozenset({INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE, PRODUCER_FENCED})
    apis = frozenset({FIND_COORDINATOR, INIT_PRODUCER_ID})
    request_fields = frozenset({"transactionalId", "keyType", "key", "coordinatorKeys"})
    thresholds = (
        Threshold("calls", 1, "calls", "sent after the last refusal"),
        Threshold("again", 2, "calls", "one is what a restart does to a hung predecessor (KIP-447)"),
    )
    meaning = "Each producer that starts fences the others; their transactions are aborted and they stop."
    wire = (
        "Produce, EndTxn or InitProducerId answered with 47 INVALID_PRODUCER_EPOCH or 90 PRODUCER_FENCED; or EndTxn "
        "with 48 INVALID_TXN_STATE after another producer's InitProducerId, which ends the open transaction (KIP-890)."
    )
    cause = (
        "Two running programs use the same id ({transactional.id}); or a transaction took too long "
        "({transaction.timeout.ms})."
    )
    fix = (
        "Give each program an id of its own ({transactional.id}), and close a producer that was fenced instead of "
        "going on with it."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no producer."""
        super().__init__(*arguments)
        self._latest: Bounded[tuple[Client, Connection, int]] = Bounded()
        """By transactional id, who sent the latest InitProducerId, or looked for the coordinator since; and when."""

    def call(self, seen: SeenCall) -> None:
        """Note who takes a transactional id; the coordinator ends the other's transaction before it answers."""
        request = seen.request
        if seen.key == INIT_PRODUCER_ID:
            names = [request.get("transactionalId")]
        elif request.get("keyType") == _OF_TRANSACTION:
            names = [request.get("key"), *(request.get("coordinatorKeys") or ())[:MOST_NAMES]]
        else:
            return
        for name in filter(None, names):
            client, _, sent = self._latest.get(name) or (None, None, 0)
            # The coordinator is asked for on another connection than it is used on; calls behind gaps are known late.
            if (seen.key == INIT_PRODUCER_ID or client != seen.client) and seen.sent >= sent:
                self._latest.put(name, (seen.client, seen.call.connection, seen.sent))

    def wanted(self, call: Call) -> bool:
        """Leave out producers without one, whose own old batches came late, and steps out of order of a lone one."""
        name = transaction_of(request_of(call))
        if any(error.code == INVALID_TXN_STATE for error in call.errors):
            client, connection, _ = self._latest.get(name) or (client_of(call), call.connection, 0)
            other_program = connection is not call.connection and connection.ended_by is None
            return client != client_of(call) or other_program
        return call.api_key != PRODUCE or bool(name)

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Count for the transactional id, whoever was fenced."""
        key = transaction_of(request_of(call)) or ""
        state = self.state(key)
        in_flight = state.last is not None and call.request is not None and call.request.first.time < state.last.time
        if not in_flight or call.client not in state.clients:
            self.count(key, call, errors[0])

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire from the threshold on."""
        if state.count < self.limits[self.least]:
            return None
        clients = list(state.client_ids)
        names = ", ".join(f"{code} {times_text(count)}" for code, count in state.codes.items())
        summary = (
            f"Producers with transactional id {key} were fenced: {names} (fenced: {', '.join(clients) or 'unknown'})."
        )
        if state.count < self.limits["again"]:
            summary += " It was alive; a program that starts anew does so to one that hung."
        subject = {
            "transactionalId": key or None,
            "clientId": clients[0] if len(clients) == 1 else clients,
            "client": state.clients.only,
            "topic": state.topics.only,
        }
        return self.make(state, subject, summary)


class Spins(ErrorTally):
    """Refusals of a transactional id, and what went well beside them."""

    __slots__ = ("in_a_row", "most", "went_well")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.went_well = 0
        self.in_a_row = 0
        self.most = 0


class ConcurrentTransactionsSpin(ErrorRule):
    """A producer begins transactions while the last one still ends."""

    id = "concurrent-transactions-spin"
    title = "The next transaction is begun while the last one still ends"
    severity = "warning"
    scope = "transactional id"
    state_type = Spins
    codes = frozenset({CONCURRENT_TRANSACTIONS})
    apis = frozenset({ADD_PARTITIONS_TO_TXN, ADD_OFFSETS_TO_TXN, INIT_PRODUCER_ID})
    only = dict.fromkeys(apis, WITH_STATES)
    request_fields = frozenset({"transactionalId", "v3AndBelowTransactionalId"})
    thresholds = (
        Threshold("calls", 20, "calls", "measured: fenced and restarted producers get a few"),
        Threshold("in_a_row", 10, "calls", "refused one after the other, or else"),
        Threshold("each", 3, "calls", "refused for each that goes well; Java's back-off of 20 ms brings one or two"),
    )
    meaning = "The coordinator has not written the markers of the last transaction, and the client asks without pause."
    wire = "AddPartitionsToTxn or InitProducerId answered with 51 CONCURRENT_TRANSACTIONS, dozens of times in a row."
    cause = (
        "A partition of the last transaction has no working leader, or transactions are too short for the markers' "
        "time."
    )
    fix = (
        "Bring the partition's leader back; put more into one transaction; wait longer between tries "
        "({retry.backoff.ms})."
    )

    def wanted(self, call: Call) -> bool:
        """Leave out leaders that verify transactions: their producers get the error as well (KIP-890)."""
        return call.api_key != ADD_PARTITIONS_TO_TXN or (call.api_version or 0) < _FIRST_OF_BROKERS

    def call(self, seen: SeenCall) -> None:
        """Note what goes well."""
        state = self.states.get(ErrorKey(seen.client, transaction_of(seen.request)))
        if not isinstance(state, Spins) or seen.call.response is None:
            return
        if not any(error.code == CONCURRENT_TRANSACTIONS for error in seen.call.errors):
            state.went_well += 1
            state.in_a_row = 0

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Count each transactional id apart."""
        return transaction_of(request_of(call))

    def count(self, key: Any, call: Call, error: FieldError) -> None:
        """Count one call, and those in a row."""
        super().count(key, call, error)
        state = self.state(key)
        assert isinstance(state, Spins)
        state.in_a_row += 1
        state.most = max(state.most, state.in_a_row)

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire where refusals come in rows, or are many for each success."""
        assert isinstance(state, Spins)
        spins = state.most >= self.limits["in_a_row"] or state.count > self.limits["each"] * state.went_well
        return super().finding(key, state) if spins else None

    def more_subject(self, key: ErrorKey) -> dict[str, Any]:
        """Name the transactional id."""
        return {"transactionalId": key.name}

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name client and transactional id."""
        return (
            f"{key.client.name} was told {state.count:,} times within {seconds_text(state.span_ns)} that the last "
            f"transaction of {key.name} has not ended yet."
        )


class Transaction(NamedTuple):
    """What a transactional producer did last."""

    client: Client
    connection: str
    last: int
    """When it last sent records or added partitions (ns)."""


class End(NamedTuple):
    """How the latest transaction of a transactional id ended."""

    time: int
    """When that was asked for (ns)."""
    by_producer: bool
    """Whether by EndTxn; else by InitProducerId, which aborts what the id's last producer left open."""


_NEVER = End(0, False)


class Stuck(Tally):
    """How long a partition's last stable offset has stood still below its high watermark."""

    __slots__ = ("longest", "offset", "producer", "since")

    def __init__(self) -> None:
        """Begin with nothing seen."""
        super().__init__()
        self.offset = -1
        self.since = 0
        self.longest: tuple[int, int, int] = (0, -1, -1)
        """Nanoseconds, offset and high watermark."""
        self.producer: tuple[str, Transaction] | None = None


class HangingTransaction(Rule[Stuck]):
    """An open transaction holds up everyone who reads committed records."""

    id = "hanging-transaction"
    title = "An open transaction holds up read_committed consumers"
    severity = "error"
    scope = "topic and partition"
    looks_across_clients = True
    state_type = Stuck
    apis = frozenset({PRODUCE, ADD_PARTITIONS_TO_TXN, END_TXN, INIT_PRODUCER_ID, FETCH})
    only: ClassVar[Mapping[int, int]] = {PRODUCE: TRANSACTIONAL, FETCH: BEHIND | WITH_STATES}
    request_fields = frozenset(
        {
            *("transactionalId", "v3AndBelowTransactionalId", "transactionTimeoutMs"),
            *("topicData", "v3AndBelowTopics", "name", "topicId"),
        }
    )
    response_fields = frozenset(
        {"responses", "topic", "topicId", "partitions", "partitionIndex", "lastStableOffset", "highWatermark"}
    )
    thresholds = (
        Threshold("seconds", 6, "s", "of silence of its producer, which does not end it later within its timeout"),
        Threshold(
            "seconds_unknown", 60, "s", "transaction.timeout.ms, where the transaction's producer is not in the capture"
        ),
    )
    meaning = "Consumers with isolation.level=read_committed see nothing new, though records are written."
    wire = (
        "lastStableOffset in Fetch answers stands still below a high watermark, and the transaction's producer sends "
        "neither records nor EndTxn."
    )
    cause = "A producer sent in a transaction and neither committed nor aborted it; it hangs, died, or forgot."
    fix = (
        "Commit or abort in every path of the program; let transactions time out sooner "
        "({transaction.timeout.ms}); kafka-transactions.sh find-hanging and abort end one that outlived its "
        "timeout (KIP-664)."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no transaction known."""
        super().__init__(*arguments)
        self._producers: Bounded[dict[str, Transaction]] = Bounded()
        self._ended: Bounded[End] = Bounded()
        self._timeouts: Bounded[int] = Bounded()

    def call(self, seen: SeenCall) -> None:
        """Learn of transactions, and watch the last stable offsets."""
        if seen.key == FETCH:
            self._watch(seen)
            return
        name = (seen.transactional_id or None) if seen.key == PRODUCE else transaction_of(seen.request)
        if name is None:
            return
        if seen.key == END_TXN:
            self._ended.put(name, End(seen.sent, True))
        elif seen.key == INIT_PRODUCER_ID:
            self._timeouts.put(name, seen.request.get("transactionTimeoutMs", 0) * MILLISECOND)
            self._ended.put(name, End(seen.sent, False))
        else:
            transaction = Transaction(seen.client, seen.call.client, seen.sent)
            for topic in seen.request.get("topicData") or seen.request.get("v3AndBelowTopics") or ():
                producers = self._producers.touch(self.facts.name_in(topic) or topic.get("topicId"), dict)
                if name in producers or len(producers) < _MOST_PRODUCERS:
                    producers[name] = transaction

    def _watch(self, seen: SeenCall) -> None:
        for topic in seen.response.get("responses", ()):
            name = self.facts.name_in(topic) or topic.get("topicId")
            for partition in topic["partitions"]:
                stable, high = partition.get("lastStableOffset", -1), partition["highWatermark"]
                if stable < 0:
                    continue
                key = (name, partition["partitionIndex"])
                state = self.states.get(key)
                if state is not None and stable != state.offset:
                    self._moved(key, state)
                if stable < high:
                    self._stands(self.state(key), name, key[1], stable, high, seen)
                elif state is not None and not state.count:
                    self.states.pop(key)

    def _moved(self, key: Hashable, state: Stuck) -> None:
        """Take back what was said of a transaction that its producer ended after all, before it timed out."""
        state.offset = -1
        if state.producer is None:
            return
        name, transaction = state.producer
        timeout = self._timeouts.get(name) or int(self.limits["seconds_unknown"] * SECOND)
        end = self._ended.get(name) or _NEVER
        if end.by_producer and end.time > transaction.last and state.longest[0] < timeout:
            self.states.put(key, self.new_state())

    def _stands(self, state: Stuck, name: Any, index: int, stable: int, high: int, seen: SeenCall) -> None:
        now = seen.ended
        if stable != state.offset:
            state.offset, state.since = stable, now
        begun, producer = state.since, self._open_producer(name)
        least = self.limits["seconds" if producer else "seconds_unknown"]
        if producer is not None:
            begun = max(begun, producer[1].last)
        if now - begun >= least * SECOND:
            state.add(seen.call.ended, f"{name}-{index}: last stable offset {stable}, high watermark {high}")
            if now - begun >= state.longest[0]:
                state.longest = (now - begun, stable, high)
                state.producer = producer

    def _open_producer(self, topic: Any) -> tuple[str, Transaction] | None:
        """Give the transactional producer of a topic that has been silent for the longest with its transaction open."""
        producers = self._producers.get(topic) or {}
        unended = [
            (name, seen) for name, seen in producers.items() if seen.last > (self._ended.get(name) or _NEVER).time
        ]
        return min(unended, key=lambda item: item[1].last, default=None)

    def finding(self, key: Any, state: Stuck) -> Finding | None:
        """Fire where it stood still long enough."""
        if not state.count:
            return None
        topic, partition = key
        took, stable, high = state.longest
        who = ""
        subject: dict[str, Any] = {"topic": topic, "partition": partition}
        if state.producer is not None:
            name, seen = state.producer
            subject |= client_subject(seen.client) | {"transactionalId": name, "client": seen.connection}
            who = f" The transaction of {name} ({seen.client.name}) is open and its producer silent."
        summary = (
            f"The last stable offset of {topic}-{partition} stood still at {stable} for {seconds_text(took)} while the "
            f"high watermark reached {high}.{who}"
        )
        return self.make(state, subject, summary)


TRANSACTION_RULES: tuple[type[Rule[Any]], ...] = (ProducerFenced, HangingTransaction, ConcurrentTransactionsSpin)
