"""Rules about the offsets that consumers ask for."""

from collections.abc import Hashable
from typing import Any

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorTally, TopicErrorRule, elements
from kafkasniff.diagnose.facts.clients import client_of
from kafkasniff.diagnose.facts.facts import Facts
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.rule import WITH_STATES, Rule, Threshold, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import FETCH, LIST_OFFSETS
from kafkasniff.protocol.error_codes.numbers import OFFSET_OUT_OF_RANGE

_MOST_PARTITIONS = 64
"""Partitions that are told apart in a client's topic."""


class Misses(ErrorTally):
    """Offsets that are not there, and how often each was asked for."""

    __slots__ = ("gaps", "lost", "most", "most_moving", "moving", "partitions")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.partitions: Bounded[tuple[int | None, int]] = Bounded(_MOST_PARTITIONS)
        """The offset, where the request said it, and how often it was refused in a row."""
        self.most = 0
        self.moving: Bounded[int] = Bounded(_MOST_PARTITIONS)
        """How often another offset than before, farther on, was refused."""
        self.most_moving = 0
        self.lost = 0
        """Records between offsets that were refused and the start of the log."""
        self.gaps = 0
        """How often it was seen how many."""


class OffsetOutOfRange(TopicErrorRule):
    """A consumer asks for offsets that the log does not have."""

    id = "offset-out-of-range"
    title = "A consumer asks for offsets that are not there"
    severity = "error"
    scope = "client and topic"
    state_type = Misses
    codes = frozenset({OFFSET_OUT_OF_RANGE})
    apis = frozenset({LIST_OFFSETS})
    only = dict.fromkeys(apis, WITH_STATES)
    request_fields = frozenset({"topics", "name", "partitions", "partitionIndex"})
    response_fields = frozenset({"topics", "name", "partitions", "partitionIndex", "offset", "errorCode"})
    thresholds = (
        Threshold("calls", 3, "calls", "for one partition's offset; a consumer that resets its offset brings one"),
        Threshold("moving", 3, "calls", "at later and later offsets of a partition; one may be a group that was away"),
    )
    meaning = (
        "The consumer's position lies before the log's start or behind its end, and it does not move; or it moves, and "
        "retention is faster: records are lost again and again."
    )
    wire = (
        "Fetch answered with 1 OFFSET_OUT_OF_RANGE for the same offset of a partition, again and again; or for an "
        "offset farther on each time, between which records were read."
    )
    cause = (
        "Retention deleted what was not read in time, or the topic was made anew; and the consumer does not reset "
        "its offset ({auto.offset.reset})."
    )
    fix = (
        "Let the consumer reset its offset ({auto.offset.reset}), or move the group (kafka-consumer-groups.sh "
        "--reset-offsets); raise retention.ms."
    )

    def wanted(self, call: Call) -> bool:
        """Look at fetches of consumers and followers."""
        return call.api_key == FETCH

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Count calls, and how often each partition's offset was refused."""
        super().errors(call, errors)
        asked = asked_offsets(call, self.facts)
        for error in errors[:_MOST_PARTITIONS]:
            passed = elements(response_of(call), error.path)
            partition = passed[-1]
            name = self.topic_of(call, error) or next((item["topicId"] for item in passed if "topicId" in item), None)
            state = self.states.get(ErrorKey(client_of(call), self.name_of(call, error)))
            assert isinstance(state, Misses)
            index = partition.get("partitionIndex")
            before, count = state.partitions.get(index) or (None, 0)
            # A Fetch session leaves out what it asks for as before (KIP-227).
            offset = asked.get((name, index), before)
            count = count + 1 if offset == before or before is None else 1
            state.partitions.put(index, (offset, count))
            state.most = max(state.most, count)
            if offset is not None and (before is None or offset > before):
                moved = (state.moving.get(index) or 0) + 1
                state.moving.put(index, moved)
                state.most_moving = max(state.most_moving, moved)

    def call(self, seen: SeenCall) -> None:
        """Compare where the log begins with the offset that was refused."""
        for topic in seen.response.get("topics") or ():
            state = self.states.get(ErrorKey(seen.client, self.facts.name_in(topic)))
            if not isinstance(state, Misses):
                continue
            for partition in topic.get("partitions") or ():
                refused, _ = state.partitions.get(partition.get("partitionIndex")) or (None, 0)
                lost = partition.get("offset", -1) - refused if refused is not None else 0
                if lost > 0 and not partition.get("errorCode"):
                    state.lost += lost
                    state.gaps += 1

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire where one offset was refused often enough, or later ones one after the other."""
        assert isinstance(state, Misses)
        if state.most >= self.limits[self.least]:
            return super().finding(key, state)
        if state.most_moving < self.limits["moving"]:
            return None
        found = super().finding(key, state)
        if found is not None:
            found.cause = (
                "The consumer reads more slowly than records are written, and retention (retention.ms, "
                "retention.bytes) deletes what it has not read yet; it resets its offset and goes on behind the gap."
            )
            found.fix = (
                "Read faster: more members, up to the number of partitions; less work for each record, or in parallel. "
                "Meanwhile raise retention.ms of the topic, before more is lost."
            )
        return found

    def more_subject(self, key: ErrorKey) -> dict[str, Any]:
        """Name the group, where the client has one."""
        return {"group": self.facts.group(key.client)}

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name client and topic, and what was lost."""
        assert isinstance(state, Misses)
        span = seconds_text(state.span_ns)
        if state.most >= self.limits[self.least]:
            return (
                f"{key.client.name} asked {state.count:,} times within {span} for offsets of topic {key.name} that are "
                "not in the log."
            )
        lost = f": at least {state.lost:,} records were deleted before it read them" if state.gaps else ""
        return (
            f"{key.client.name} found the next records of topic {key.name} deleted {times_text(state.count)} within "
            f"{span}, each time farther on{lost}."
        )


def asked_offsets(call: Call, facts: Facts) -> dict[Hashable, int]:
    """Give the offsets that a Fetch asks for, by topic and partition."""
    return {
        (facts.name_in(topic) or topic.get("topicId"), partition["partition"]): partition["fetchOffset"]
        for topic in request_of(call).get("topics") or ()
        for partition in topic["partitions"]
    }


OFFSET_RULES: tuple[type[Rule[Any]], ...] = (OffsetOutOfRange,)
