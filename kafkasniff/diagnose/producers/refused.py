# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about batches that the broker refuses for what they are."""

from collections.abc import Hashable, Mapping
from typing import Any, ClassVar

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally, TopicErrorRule
from kafkasniff.diagnose.producers.produce import add_topics
from kafkasniff.diagnose.rule import Rule, Threshold
from kafkasniff.diagnose.seen.seen_call import UNANSWERED, SeenCall
from kafkasniff.protocol.api_keys import PRODUCE
from kafkasniff.protocol.error_codes.numbers import CORRUPT_MESSAGE, MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE

_NO_FIELDS: frozenset[str] = frozenset()


class MessageTooLarge(TopicErrorRule):
    """Records larger than the topic takes."""

    id = "message-too-large"
    title = "Batches are larger than the topic takes"
    severity = "error"
    scope = "client and topic"
    codes = frozenset({MESSAGE_TOO_LARGE})
    thresholds = (Threshold("calls", 3, "calls", "the same batch cannot succeed later"),)
    meaning = "The broker refuses the batches, and the records are lost unless the program handles the error."
    wire = "Produce answered with 10 MESSAGE_TOO_LARGE."
    cause = (
        "A record is larger than max.message.bytes of the topic (message.max.bytes of the broker), also after "
        "compression."
    )
    fix = (
        "Compress ({compression.type=lz4}), or keep large values elsewhere and send references; or raise "
        "max.message.bytes of the topic, and the producer's own limit with it ({max.request.size})."
    )


class RecordListTooLarge(TopicErrorRule):
    """Batches larger than a segment."""

    id = "record-list-too-large"
    title = "Batches are larger than the topic's segments"
    severity = "error"
    scope = "client and topic"
    codes = frozenset({RECORD_LIST_TOO_LARGE})
    thresholds = (Threshold("calls", 3, "calls", "the same batch cannot succeed later"),)
    meaning = "The broker refuses the batches, as one does not fit into a log segment."
    wire = "Produce answered with 18 RECORD_LIST_TOO_LARGE."
    cause = "segment.bytes of the topic is smaller than the producer's batches ({batch.size})."
    fix = "Raise segment.bytes of the topic (default 1 GiB), or make the producer's batches smaller ({batch.size})."


class CrcMismatch(ErrorRule):
    """Batches whose checksum is wrong."""

    id = "crc-mismatch"
    title = "Batches arrive with a wrong CRC"
    severity = "error"
    scope = "client"
    codes = frozenset({CORRUPT_MESSAGE})
    apis = frozenset({PRODUCE})
    only: ClassVar[Mapping[int, int]] = {PRODUCE: UNANSWERED}
    thresholds = (Threshold("calls", 3, "calls", "TCP's own checksum lets one bad packet in many millions pass"),)
    meaning = (
        "The broker throws the batches away; what was damaged cannot be trusted before the checksum was made either."
    )
    wire = "Record batches whose CRC-32C does not match their bytes, answered with 2 CORRUPT_MESSAGE."
    cause = "A faulty client, bad memory on its host, or a device on the way that changes packets."
    fix = "Upgrade the client; test the host's memory; compare captures on both sides of proxies and gateways."

    def call(self, seen: SeenCall) -> None:
        """Count wrong checksums that the broker did not complain of (acks=0)."""
        call = seen.call
        if call.outcome == "no-response-expected" and call.request is not None and call.request.whole:
            call.scan_request(_NO_FIELDS)  # Where the batches lie is found sooner so.
            bad = [path for _, path, batch in call.batch_headers if not batch.crc_valid]
            if bad:
                state = self.state(ErrorKey(seen.client, None))
                state.add(call.request.last, f"Produce with a wrong CRC in {bad[0]}", call)
                state.programs.add(call.connection)
                state.codes["a wrong CRC"] = state.codes.get("a wrong CRC", 0) + 1
                add_topics(seen, state)

    def count(self, key: Hashable, call: Call, error: FieldError) -> None:
        """Count one call, and say whether its CRC is wrong in the capture too."""
        super().count(key, call, error)
        state = self.state(key)
        if any(side == "request" and not batch.crc_valid for side, _, batch in call.batch_headers):
            state.codes["a wrong CRC"] = state.codes.get("a wrong CRC", 0) + 1

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Say how many, and of how many the capture shows it."""
        seen = state.codes.get("a wrong CRC", 0)
        topics = f" to topic {', '.join(state.topics)}" if len(state.topics) else ""
        return (
            f"{state.count:,} Produce requests of {key.client.name}{topics} held corrupt batches; {seen:,} show a "
            f"wrong CRC here."
        )


REFUSED_RULES: tuple[type[Rule[Any]], ...] = (MessageTooLarge, RecordListTooLarge, CrcMismatch)
