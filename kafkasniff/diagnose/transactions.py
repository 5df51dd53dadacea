"""Rules about transactions."""

from collections.abc import Hashable
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally
from kafkasniff.diagnose.facts import (
    ADD_PARTITIONS_TO_TXN,
    END_TXN,
    FETCH,
    PRODUCE,
    Client,
    client_of,
    request_of,
    response_of,
)
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory import SECOND, Bounded, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text
from kafkasniff.diagnose.sequences import producer_id_of


class ProducerFenced(ErrorRule):
    """Producers with the same transactional id throw each other out."""

    id = "producer-fenced"
    title = "Producers share a transactional id"
    severity = "error"
    scope = "transactional id"
    codes = frozenset({47, 90})
    thresholds = (Threshold("calls", 2, "calls", "one is what a restart does to a hung predecessor (KIP-447)"),)
    meaning = "Each producer that starts fences the others; their transactions are aborted and they stop."
    wire = "Produce, EndTxn or InitProducerId answered with 47 INVALID_PRODUCER_EPOCH or 90 PRODUCER_FENCED."
    cause = "The same transactional.id in two running programs; or a transaction timed out (transaction.timeout.ms)."
    fix = (
        "Give each program a transactional.id of its own, and close a producer that was fenced instead of going on "
        "with it."
    )
    explains = ("concurrent-transactions-spin",)

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Count for the transactional id, whoever was fenced."""
        name = request_of(call).get("transactionalId")
        key = name if name else f"producer id {producer_id_of(call)}" if call.api_key == PRODUCE else None
        self.count((bool(name), key), call, errors[0])

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire from the threshold on."""
        if state.count < self.limits[self.least]:
            return None
        named, name = key
        clients = list(state.client_ids)
        names = ", ".join(f"{code} {count} times" for code, count in state.codes.items())
        summary = (
            f"Producers with transactional id {name} were fenced: {names} (fenced: {', '.join(clients) or 'unknown'})."
        )
        subject = {
            "transactionalId": name if named else None,
            "clientId": clients[0] if len(clients) == 1 else clients,
            "client": state.clients.only,
            "topic": state.topics.only,
        }
        return self.make(state, subject, summary)


class ConcurrentTransactionsSpin(ErrorRule):
    """A producer begins transactions while the last one still ends."""

    id = "concurrent-transactions-spin"
    title = "The next transaction is begun while the last one still ends"
    severity = "warning"
    scope = "transactional id"
    codes = frozenset({51})
    thresholds = (Threshold("calls", 20, "calls", "measured: fenced and restarted producers get a few"),)
    meaning = "The coordinator has not written the markers of the last transaction, and the client asks without pause."
    wire = "AddPartitionsToTxn or InitProducerId answered with 51 CONCURRENT_TRANSACTIONS, dozens of times."
    cause = (
        "A partition of the last transaction has no working leader, or transactions are too short for the markers' "
        "time."
    )
    fix = (
        "Bring the partition's leader back; put more into one transaction; use a client that backs off "
        "(retry.backoff.ms)."
    )

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Count each transactional id apart."""
        request = request_of(call)
        name = request.get("transactionalId") or request.get("v3AndBelowTransactionalId")
        return str(name) if name else None

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


class Stuck(Tally):
    """How long a partition's last stable offset has stood still below its high watermark."""

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
    apis = frozenset({PRODUCE, ADD_PARTITIONS_TO_TXN, END_TXN, FETCH})
    thresholds = (
        Threshold(
            "seconds", 6, "s", "measured: healthy transactions end within a few seconds; the default timeout is 60 s"
        ),
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
        "Commit or abort in every path of the program; lower transaction.timeout.ms; kafka-transactions.sh "
        "find-hanging "
        "and abort end one that outlived its timeout (KIP-664)."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with no transaction known."""
        super().__init__(*arguments)
        self._producers: Bounded[dict[str, Transaction]] = Bounded()
        self._ended: Bounded[int] = Bounded()

    def new_state(self) -> Stuck:
        """Begin with nothing seen."""
        return Stuck()

    def call(self, call: Call) -> None:
        """Learn of transactions, and watch the last stable offsets."""
        if call.request is None:
            return
        if call.api_key == FETCH:
            if call.response is not None:
                self._watch(call)
            return
        request = request_of(call)
        name = request.get("transactionalId") or request.get("v3AndBelowTransactionalId")
        if not name:
            return
        now = call.request.last.time
        if call.api_key == END_TXN:
            self._ended.put(name, now)
            return
        seen = Transaction(client_of(call), call.client, now)
        for topic in request.get("topicData") or request.get("v3AndBelowTopics") or ():
            key = topic.get("name") or topic.get("topicId")
            producers = self._producers.touch(self._topic(key), dict)
            if name in producers or len(producers) < 64:
                producers[name] = seen

    def _topic(self, key: Any) -> Any:
        return self.facts.topic_name(key) or key

    def _watch(self, call: Call) -> None:
        assert call.response is not None
        now = call.response.last.time
        for topic in response_of(call).get("responses", ()):
            name = topic.get("topic") or self._topic(topic.get("topicId"))
            for partition in topic["partitions"]:
                stable, high = partition.get("lastStableOffset", -1), partition["highWatermark"]
                key = (name, partition["partitionIndex"])
                if stable < 0:
                    continue
                if stable >= high:
                    self._moved(key)
                    continue
                self._stands(self.state(key), name, key, stable, high, now, call)

    def _moved(self, key: Hashable) -> None:
        state = self.states.get(key)
        if state is not None:
            state.offset = -1

    def _stands(self, state: Stuck, name: Any, key: Any, stable: int, high: int, now: int, call: Call) -> None:
        assert call.response is not None
        if stable != state.offset:
            state.offset, state.since = stable, now
        what = f"{name}-{key[1]}: last stable offset {stable}, high watermark {high}"
        begun, producer = state.since, self._open_producer(name)
        least = self.limits["seconds" if producer else "seconds_unknown"]
        if producer is not None:
            begun = max(begun, producer[1].last)
        if now - begun >= least * SECOND:
            state.add(call.response.last, what)
            if now - begun >= state.longest[0]:
                state.longest = (now - begun, stable, high)
                state.producer = producer

    def _open_producer(self, topic: Any) -> tuple[str, Transaction] | None:
        """Give the transactional producer of a topic that has been silent for the longest with its transaction open."""
        producers = self._producers.get(topic) or {}
        unended = [(name, seen) for name, seen in producers.items() if seen.last > (self._ended.get(name) or 0)]
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
