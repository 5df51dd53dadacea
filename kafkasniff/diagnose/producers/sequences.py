# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about the sequence numbers of idempotent producers."""

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.error_rule import ErrorRule, ErrorTally, partitions_subject
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.whole_bodies import response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, state_of
from kafkasniff.diagnose.seen.produced import Produced
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import PRODUCE
from kafkasniff.protocol.error_codes.numbers import OUT_OF_ORDER_SEQUENCE_NUMBER
from kafkasniff.tcp.events import Connection

_BEHIND = 1 << 30
"""Sequences farther behind come after those beyond 2147483647, where sequences begin again with 0."""
_MOST_PARTITIONS = 16
"""Partitions of a topic, by producer epoch, whose batches are remembered of a producer."""


class SequenceKey(NamedTuple):
    """A producer's sequence of batches to a topic."""

    client: Client
    producer_id: int
    topic: str | None
    """Its name, or its id: one that is made anew under its name has sequences of its own."""


def producer_id_of(call: Call) -> int:
    """Give the producer id of a Produce request's first batch; -1 for none."""
    return next((batch.producer_id for side, _, batch in call.batch_headers if side == "request"), -1)


class OutOfOrderSequence(ErrorRule):
    """A producer has lost its count."""

    id = "out-of-order-sequence"
    title = "The producer's sequence numbers do not follow each other"
    severity = "error"
    scope = "producer id and topic"
    codes = frozenset({OUT_OF_ORDER_SEQUENCE_NUMBER})
    thresholds = (
        Threshold("calls", 5, "calls", "in-flight requests behind a failed one bring up to max.in.flight (5)"),
    )
    meaning = (
        "The broker refuses every batch, as an earlier one is missing: records were lost, or the client lost its count."
    )
    wire = "Produce answered with 45 OUT_OF_ORDER_SEQUENCE_NUMBER, again and again."
    cause = "Batches were dropped between two others (a delivery timeout), or the client's idempotence is faulty."
    fix = (
        "Upgrade the client; leave it more time to deliver ({delivery.timeout.ms}); a producer that gets this must "
        "be made anew."
    )

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Count for the producer and topic; brokers answer repeats of batches long accepted with 45 as well."""
        if self.facts.repeats is call:
            return
        self.count(
            SequenceKey(client_of(call), producer_id_of(call), self.topic_or_id(call, errors[0])), call, errors[0]
        )

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
        **(partitions_subject(state.indexes) if isinstance(state, ErrorTally) else {}),
        "producerId": key.producer_id if key.producer_id >= 0 else None,
    }


class Sequences(Tally):
    """The latest batches of a producer that the broker took, and repeats of them."""

    __slots__ = ("taken",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        # The broker remembers five batches per producer and partition (ProducerStateEntry).
        self.taken: dict[tuple[int, int], deque[tuple[int, int, Connection]]] = {}
        """By partition and producer epoch: base sequence, when it was confirmed (ns), and on which connection."""


class DuplicateSequence(Rule[Sequences]):
    """A producer sends again what the broker has confirmed."""

    id = "duplicate-sequence"
    title = "Batches are sent again after they were confirmed"
    severity = "warning"
    scope = "producer id and topic"
    state_type = Sequences
    apis = frozenset({PRODUCE})
    thresholds = (
        Threshold("batches", 5, "batches", "a retry that crosses its answer may bring a few (max.in.flight is 5)"),
    )
    meaning = "The client repeats batches whose answer it got; the broker drops them, but they cost bandwidth and time."
    wire = (
        "The same producer id, epoch, partition and base sequence in a request sent after the first was answered "
        "without error, while the connection of that answer still stands; or a sequence behind the last that was "
        "accepted, which brokers answer with 46 DUPLICATE_SEQUENCE_NUMBER or, when it is older than five batches, 45."
    )
    cause = "A fault in the client, or a proxy that repeats requests."
    fix = "Upgrade the client; look for middleware that retries on its own."

    @cython.locals(seen=SeenCall, item=Produced)
    def call(self, seen: SeenCall) -> None:
        """Compare a request's sequences with those taken before it was sent."""
        call = seen.call
        if call.response is None or call.request is None:
            return
        for item in seen.produced:
            sequence = item.base_sequence
            if item.producer_id < 0 or sequence < 0:
                continue
            # A plain tuple is made sooner than `SequenceKey`.
            key = (seen.client, item.producer_id, item.topic)
            state = state_of(self, key)
            slot = (item.partition, item.producer_epoch)
            taken = state.taken.get(slot)
            if taken is None:
                if len(state.taken) >= _MOST_PARTITIONS:
                    state.taken.pop(next(iter(state.taken)))
                taken = state.taken[slot] = deque(maxlen=5)
            # Answers may be lost with their connection, and are asked for again on the next.
            later = [
                known
                for known, answered, on in taken
                if sequence <= known <= sequence + _BEHIND
                and seen.sent > answered
                and (on is call.connection or on.ended_by is None)
            ]
            if sequence in later:
                what = f"Produce repeats sequence {sequence} of partition {item.partition} after it was confirmed"
                state.add(call.request.first, what, call)
            elif later:
                self.facts.repeats = call
                what = f"Produce repeats sequence {sequence} of partition {item.partition}, behind {max(later)}"
                state.add(call.request.first, what, call)
            elif not seen.failed or not _refused(call, item):
                taken.append((sequence, seen.ended, call.connection))

    def finding(self, key: Any, state: Sequences) -> Finding | None:
        """Fire from the threshold on."""
        key = SequenceKey(*key)
        if state.count < self.limits["batches"]:
            return None
        key = key._replace(topic=self.facts.topic_called(key.topic or "") or key.topic)
        summary = (
            f"{key.client.name} (producer id {key.producer_id}) sent {state.count:,} batches to topic {key.topic} "
            f"again "
            "after the broker had confirmed them."
        )
        return self.make(state, _sequence_subject(key, state), summary)


def _refused(call: Call, item: Produced) -> bool:
    """Tell whether the broker refused a partition's batches."""
    ours = item.topic or ""
    for topic in response_of(call).get("responses", ()):
        if short_name(topic.get("name") or topic.get("topicId") or "") == ours:
            answers = topic["partitionResponses"]
            return any(answer["index"] == item.partition and answer["errorCode"] for answer in answers)
    return True


SEQUENCE_RULES: tuple[type[Rule[Any]], ...] = (OutOfOrderSequence, DuplicateSequence)
