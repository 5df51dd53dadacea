"""Rules about the sequence numbers of idempotent producers."""

from collections import deque
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorRule, ErrorTally
from kafkasniff.diagnose.facts import PRODUCE, Client, client_of, request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject


class SequenceKey(NamedTuple):
    """A producer's sequence of batches to a topic."""

    client: Client
    producer_id: int
    topic: str | None


def producer_id_of(call: Call) -> int:
    """Give the producer id of a Produce request's first batch; -1 for none."""
    for batch in call.batches:
        if batch["where"] == "request":
            return int(batch["producerId"])
    return -1


class OutOfOrderSequence(ErrorRule):
    """A producer has lost its count."""

    id = "out-of-order-sequence"
    title = "The producer's sequence numbers do not follow each other"
    severity = "error"
    scope = "producer id and topic"
    codes = frozenset({45})
    thresholds = (
        Threshold("calls", 5, "calls", "in-flight requests behind a failed one bring up to max.in.flight (5)"),
    )
    meaning = (
        "The broker refuses every batch, as an earlier one is missing: records were lost, or the client lost its count."
    )
    wire = "Produce answered with 45 OUT_OF_ORDER_SEQUENCE_NUMBER, again and again."
    cause = "Batches were dropped between two others (a delivery timeout), or the client's idempotence is faulty."
    fix = (
        "Upgrade the client; raise delivery.timeout.ms (message.timeout.ms); a producer that gets this must be "
        "made anew."
    )

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Count for the producer and topic."""
        self.count(SequenceKey(client_of(call), producer_id_of(call), self.topic_of(call, errors[0])), call, errors[0])

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, SequenceKey)
        if state.count < self.limits[self.least]:
            return None
        summary = (
            f"{state.count:,} Produce requests of {key.client.name} (producer id {key.producer_id}) to topic "
            f"{key.topic} "
            "were refused as their sequence numbers do not follow the last."
        )
        return self.make(state, _sequence_subject(key, state), summary)


def _sequence_subject(key: SequenceKey, state: Tally) -> dict[str, Any]:
    return client_subject(key.client, state.clients) | {
        "topic": key.topic,
        "producerId": key.producer_id if key.producer_id >= 0 else None,
    }


class Sequences(Tally):
    """The latest batches of a producer that the broker took, and repeats of them."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        # The broker remembers five batches per producer and partition (ProducerStateEntry).
        self.taken: dict[tuple[int, int], deque[tuple[int, int]]] = {}


class DuplicateSequence(Rule[Sequences]):
    """A producer sends again what the broker has confirmed."""

    id = "duplicate-sequence"
    title = "Batches are sent again after they were confirmed"
    severity = "warning"
    scope = "producer id and topic"
    apis = frozenset({PRODUCE})
    thresholds = (Threshold("batches", 5, "batches", "a retry that crosses its answer may bring a few"),)
    meaning = "The client repeats batches whose answer it got; the broker drops them, but they cost bandwidth and time."
    wire = (
        "The same producer id, epoch, partition and base sequence in a request sent after the first was answered "
        "without error."
    )
    cause = "A fault in the client, or a proxy that repeats requests."
    fix = "Upgrade the client; look for middleware that retries on its own."
    explains = ("out-of-order-sequence",)

    _most_partitions = 64

    def new_state(self) -> Sequences:
        """Begin with none."""
        return Sequences()

    def call(self, call: Call) -> None:
        """Compare a request's sequences with those taken before it was sent."""
        if call.outcome != "answered" or call.request is None or call.response is None:
            return
        errors = {error.path.rpartition(".")[0] for error in call.errors}
        paths = _produce_paths(call)
        for batch in call.batches:
            if batch["where"] != "request" or batch["producerId"] < 0 or batch["baseSequence"] < 0:
                continue
            topic, partition, response_path = paths.get(batch["path"], (None, -1, None))
            if response_path is None:
                continue
            key = SequenceKey(client_of(call), batch["producerId"], topic)
            state = self.state(key)
            slot = (partition, batch["producerEpoch"])
            taken = state.taken.get(slot)
            if taken is None:
                if len(state.taken) >= self._most_partitions:
                    state.taken.pop(next(iter(state.taken)))
                taken = state.taken[slot] = deque(maxlen=5)
            sequence = batch["baseSequence"]
            if any(sequence == known and call.request.first.time > answered for known, answered in taken):
                what = f"Produce repeats sequence {sequence} of partition {partition} after it was confirmed"
                state.add(call.request.first, what, call.client)
            elif response_path not in errors:
                taken.append((sequence, call.response.last.time))

    def finding(self, key: Any, state: Sequences) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, SequenceKey)
        if state.count < self.limits["batches"]:
            return None
        summary = (
            f"{key.client.name} (producer id {key.producer_id}) sent {state.count:,} batches to topic {key.topic} "
            f"again "
            "after the broker had confirmed them."
        )
        return self.make(state, _sequence_subject(key, state), summary)


def _topic_key(item: dict[str, Any]) -> Any:
    return item.get("name") or item.get("topicId")


def _produce_paths(call: Call) -> dict[str, tuple[str | None, int, str | None]]:
    """Give topic, partition and the answer's path by the path of each `records` field of a Produce request."""
    answers = {
        (_topic_key(topic), partition["index"]): f"responses[{i}].partitionResponses[{j}]"
        for i, topic in enumerate(response_of(call).get("responses", ()))
        for j, partition in enumerate(topic["partitionResponses"])
    }
    return {
        f"topicData[{i}].partitionData[{j}].records": (
            _topic_key(topic),
            partition["index"],
            answers.get((_topic_key(topic), partition["index"])),
        )
        for i, topic in enumerate(request_of(call).get("topicData", ()))
        for j, partition in enumerate(topic["partitionData"])
    }


SEQUENCE_RULES: tuple[type[Rule[Any]], ...] = (OutOfOrderSequence, DuplicateSequence)
