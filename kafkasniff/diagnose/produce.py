"""Rules about producers that write."""

import zlib
from collections import deque
from collections.abc import Hashable
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally, TopicErrorRule
from kafkasniff.diagnose.facts import PRODUCE, Client, client_of, request_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory import MILLISECOND, SECOND, Tally, Trend
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, counted
from kafkasniff.tcp.events import Connection

_SAMPLED = 32_768
"""Bytes of a `records` field that are deflated as a sample."""
_SAMPLES = 32
"""Samples taken of a client's topic; its further batches are taken to be like them."""


def _topics(rule: Rule[Any], call: Call, state: Tally) -> None:
    for topic in request_of(call).get("topicData") or ():
        state.topics.add(rule.facts.name_in(topic))


class _AcksRule(Rule[Tally]):
    """Counts Produce requests with a certain `acks`."""

    acks: int
    apis = frozenset({PRODUCE})
    severity = "info"
    scope = "client"

    def new_state(self) -> Tally:
        """Begin with none."""
        return Tally()

    def call(self, call: Call) -> None:
        """Look at acks."""
        if call.request is not None and request_of(call).get("acks") == self.acks:
            state = self.state(client_of(call))
            state.add(call.request.last, f"Produce with acks={self.acks}", call.client)
            _topics(self, call, state)

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, Client)
        if state.count < self.limits["requests"]:
            return None
        summary = f"{key.name} sent {counted(state.count, 'Produce request')} with acks={self.acks}."
        return self.make(state, client_subject(key, state.clients) | {"topic": state.topics.only}, summary)


class AcksZero(_AcksRule):
    """A producer does not wait for any answer."""

    id = "acks-zero"
    title = "The producer wants no answer"
    acks = 0
    thresholds = (Threshold("requests", 1, "requests", "a setting, seen at the first request"),)
    meaning = "Records are lost unnoticed at any error: the broker does not answer, and the client does not retry."
    wire = "Produce requests with acks 0, and no answers to them."
    cause = "acks=0 (request.required.acks=0 in librdkafka) is set."
    fix = "Set acks=all, unless losing records is fine, as with some metrics."


class AcksOne(_AcksRule):
    """A producer waits for the leader only."""

    id = "acks-one"
    title = "The producer waits for the leader only"
    acks = 1
    thresholds = (Threshold("requests", 1, "requests", "a setting, seen at the first request"),)
    meaning = "Records that were confirmed are lost when the leader fails before its followers have them."
    wire = "Produce requests with acks 1."
    cause = "acks=1 is set, or is the default of the library (Java before 3.0, kafka-python, sarama)."
    fix = "Set acks=all (RequiredAcks = WaitForAll in sarama) with min.insync.replicas=2."


class Sizes(Tally):
    """How many of the latest Produce requests hold one record, and when."""

    def __init__(self, window: int) -> None:
        """Look at `window` requests at a time."""
        super().__init__()
        self.window: deque[tuple[int, bool]] = deque(maxlen=window)
        self.single = 0
        self.fired = False
        self.rate = 0.0


class TinyBatches(Rule[Sizes]):
    """A busy producer sends one record at a time."""

    id = "tiny-batches"
    title = "A busy producer sends one record per request"
    severity = "warning"
    scope = "client"
    apis = frozenset({PRODUCE})
    thresholds = (
        Threshold("requests", 100, "requests", "looked at together"),
        Threshold("share", 0.9, "", "of them with one record"),
        Threshold(
            "per_second", 40, "requests/s", "linger.ms=5, the default since Kafka 4.0, would batch at such a rate"
        ),
    )
    meaning = (
        "Each record costs a whole request with its headers and answer, so that broker and client do many times "
        "the work."
    )
    wire = "Ninety of a hundred Produce requests hold a single record, at forty and more a second."
    cause = "linger.ms=0 (the Java default before 4.0), batch.size tiny, or a flush after each send."
    fix = "Set linger.ms to 5–100 (queue.buffering.max.ms in librdkafka), and do not flush after each record."

    def new_state(self) -> Sizes:
        """Begin with none."""
        return Sizes(int(self.limits["requests"]))

    def call(self, call: Call) -> None:
        """Count the records of a request."""
        if call.request is None or call.header is None:
            return
        records = [batch["recordCount"] for batch in call.batches if batch["where"] == "request"]
        if not records:
            return
        single = records == [1]
        state = self.state(client_of(call))
        window = state.window
        if len(window) == window.maxlen:
            state.single -= window[0][1]
        now = call.request.first.time
        window.append((now, single))
        state.single += single
        if single:
            state.add(call.request.last, "Produce with one record", call.client)
            _topics(self, call, state)
        if len(window) == window.maxlen and state.single >= self.limits["share"] * len(window):
            rate = len(window) * SECOND / max(now - window[0][0], 1)
            if rate >= self.limits["per_second"]:
                state.fired = True
                state.rate = max(state.rate, rate)

    def finding(self, key: Any, state: Sizes) -> Finding | None:
        """Fire where a window was full of single records."""
        assert isinstance(key, Client)
        if not state.fired:
            return None
        summary = (
            f"{key.name} sent {state.count:,} Produce requests with one record each, up to {state.rate:.0f} a second."
        )
        return self.make(state, client_subject(key, state.clients) | {"topic": state.topics.only}, summary)


class TopicKey(NamedTuple):
    """A client's records for a topic."""

    client: Client
    topic: str | None


class Compressible(Tally):
    """Bytes that compression would have made smaller."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.sampled = 0
        self.deflated = 0
        self.samples = 0
        self.bytes = 0


class UncompressedBatches(Rule[Compressible]):
    """A producer sends compressible batches without compression."""

    id = "uncompressed-batches"
    title = "Compressible batches are sent uncompressed"
    severity = "info"
    scope = "client and topic"
    apis = frozenset({PRODUCE})
    thresholds = (
        Threshold("bytes", 50_000, "B", "less is not worth a setting"),
        Threshold("ratio", 0.6, "", "measured: text deflates to 0.1–0.4, what is compressed already to 1"),
        Threshold("records", 2, "records", "in a batch: what is alike in records is what compresses"),
    )
    meaning = "Network, disks and page cache carry several times the bytes that they need to."
    wire = "Batches of several records with compression none, whose bytes deflate well."
    cause = "compression.type is none, which is the default of most clients."
    fix = "Set compression.type to lz4 or zstd (compression.codec in librdkafka)."

    def new_state(self) -> Compressible:
        """Begin with none."""
        return Compressible()

    def call(self, call: Call) -> None:
        """Sample batches, and count the bytes of those like them."""
        body = call.request_body
        if call.request is None or body is None or body.value is None:
            return
        plain = {
            batch["path"]
            for batch in call.batches
            if batch["where"] == "request"
            and batch["compression"] == "none"
            and (batch["recordCount"] or 0) >= self.limits["records"]
        }
        for place in body.records:
            if place.path in plain:
                topic = body.value["topicData"][int(place.path.partition("[")[2].partition("]")[0])]
                self._count(call, self.facts.name_in(topic), call.request.data[place.start : place.end])

    def _count(self, call: Call, topic: str | None, records: bytes) -> None:
        assert call.request is not None
        state = self.state(TopicKey(client_of(call), topic))
        if state.samples < _SAMPLES:
            state.samples += 1
            sample = records[:_SAMPLED]
            state.sampled += len(sample)
            state.deflated += len(zlib.compress(sample, 1))
        state.bytes += len(records)
        state.add(call.request.last, f"{len(records):,} bytes of records, uncompressed", call.client, topic)

    def finding(self, key: Any, state: Compressible) -> Finding | None:
        """Fire where enough bytes deflate well."""
        assert isinstance(key, TopicKey)
        if state.bytes < self.limits["bytes"] or state.deflated >= self.limits["ratio"] * state.sampled:
            return None
        share = 100 * state.deflated // state.sampled
        summary = (
            f"{key.client.name} sent {state.bytes:,} bytes to topic {key.topic} uncompressed; a sample deflates "
            f"to {share} %."
        )
        return self.make(state, client_subject(key.client, state.clients) | {"topic": key.topic}, summary)


class Turns(Tally):
    """Produce requests of a connection that came right after the answer to the one before."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.answered = 0
        self.latency = 0
        self.requests = 0
        self.overlapping = 0
        self.client: Client | None = None
        self.trend = Trend()


class SerialSyncSend(Rule[Turns]):
    """A producer waits for each answer before it sends the next record."""

    id = "serial-sync-send"
    title = "The producer waits for each answer before the next send"
    severity = "warning"
    scope = "connection"
    apis = frozenset({PRODUCE})
    thresholds = (
        Threshold("requests", 100, "requests", "in a row on a connection"),
        Threshold("milliseconds", 10, "ms", "from an answer to the next request"),
        Threshold("share", 0.8, "", "of the connection's requests, with hardly any (1 %) overlapping"),
        Threshold("slope", -0.5, "", "of pause against latency; a sender with a fixed rate has -1"),
    )
    meaning = "Throughput is one request per round trip, however fast network and brokers are."
    wire = "Each Produce is sent within 10 ms of the last answer, and never two are in flight, hundreds of times."
    cause = (
        "The program waits for each send's result (send().get(), flush() after each record, a synchronous producer)."
    )
    fix = "Send asynchronously and look at results in callbacks; flush once at the end of a unit of work."
    explains = ("tiny-batches",)

    def new_state(self) -> Turns:
        """Begin with none."""
        return Turns()

    def call(self, call: Call) -> None:
        """Compare a request with the answer before it."""
        if call.outcome != "answered" or call.request is None or call.response is None:
            return
        state = self.state(call.connection)
        state.client = client_of(call)
        pause = call.request.first.time - state.answered
        if state.answered:
            state.requests += 1
            if pause < 0:
                state.overlapping += 1
            elif pause <= self.limits["milliseconds"] * MILLISECOND:
                what = f"Produce sent {pause / MILLISECOND:.1f} ms after the last answer"
                state.add(call.request.first, what, call.client)
                state.trend.add(state.latency, pause)
                _topics(self, call, state)
        state.answered = call.response.last.time
        state.latency = state.answered - call.request.first.time

    def finding(self, key: Any, state: Turns) -> Finding | None:
        """Fire where it is the habit."""
        assert isinstance(key, Connection)
        assert state.client is not None
        serial = state.count >= self.limits["share"] * state.requests and state.overlapping * 100 <= state.requests
        # Who sends by the clock pauses for less time after a slow answer; who waits for answers always for the same.
        serial &= state.trend.slope > self.limits["slope"]
        if state.count < self.limits["requests"] or not serial:
            return None
        rate = state.count * SECOND / max(state.span_ns, 1)
        summary = (
            f"{state.client.name} waited for each answer before its next Produce {state.count:,} times "
            f"({rate:.0f} requests a second), never with two in flight."
        )
        return self.make(state, client_subject(state.client, state.clients) | {"topic": state.topics.only}, summary)


class MessageTooLarge(TopicErrorRule):
    """Records larger than the topic takes."""

    id = "message-too-large"
    title = "Batches are larger than the topic takes"
    severity = "error"
    scope = "client and topic"
    codes = frozenset({10})
    thresholds = (Threshold("calls", 3, "calls", "the same batch cannot succeed later"),)
    meaning = "The broker refuses the batches, and the records are lost unless the program handles the error."
    wire = "Produce answered with 10 MESSAGE_TOO_LARGE."
    cause = (
        "A record is larger than max.message.bytes of the topic (message.max.bytes of the broker), also after "
        "compression."
    )
    fix = (
        "Compress, or keep large values elsewhere and send references; or raise max.message.bytes of the topic, and "
        "max.request.size (message.max.bytes in librdkafka) of the producer with it."
    )


class RecordListTooLarge(TopicErrorRule):
    """Batches larger than a segment."""

    id = "record-list-too-large"
    title = "Batches are larger than the topic's segments"
    severity = "error"
    scope = "client and topic"
    codes = frozenset({18})
    thresholds = (Threshold("calls", 3, "calls", "the same batch cannot succeed later"),)
    meaning = "The broker refuses the batches, as one does not fit into a log segment."
    wire = "Produce answered with 18 RECORD_LIST_TOO_LARGE."
    cause = "segment.bytes of the topic is smaller than the producer's batches (batch.size)."
    fix = "Raise segment.bytes of the topic (default 1 GiB), or lower batch.size of the producer."
    explains = ("message-too-large",)


class CrcMismatch(ErrorRule):
    """Batches whose checksum is wrong."""

    id = "crc-mismatch"
    title = "Batches arrive with a wrong CRC"
    severity = "error"
    scope = "client"
    codes = frozenset({2})
    apis = frozenset({PRODUCE})
    thresholds = (Threshold("calls", 3, "calls", "TCP's own checksum lets one bad packet in many millions pass"),)
    meaning = (
        "The broker throws the batches away; what was damaged cannot be trusted before the checksum was made either."
    )
    wire = "Record batches whose CRC-32C does not match their bytes, answered with 2 CORRUPT_MESSAGE."
    cause = "A faulty client, bad memory on its host, or a device on the way that changes packets."
    fix = "Upgrade the client; test the host's memory; compare captures on both sides of proxies and gateways."

    def call(self, call: Call) -> None:
        """Count wrong checksums that the broker did not complain of (acks=0)."""
        if call.outcome == "no-response-expected" and call.request is not None and call.request.whole:
            bad = [batch for batch in call.batches if not batch["crcValid"]]
            if bad:
                state = self.state(ErrorKey(client_of(call), None))
                state.add(call.request.last, f"Produce with a wrong CRC in {bad[0]['path']}", call.client)
                state.codes["a wrong CRC"] = state.codes.get("a wrong CRC", 0) + 1
                _topics(self, call, state)

    def count(self, key: Hashable, call: Call, error: FieldError) -> None:
        """Count one call, and say whether its CRC is wrong in the capture too."""
        super().count(key, call, error)
        state = self.state(key)
        wrong = [batch for batch in call.batches if batch["where"] == "request" and not batch["crcValid"]]
        if wrong:
            state.codes["a wrong CRC"] = state.codes.get("a wrong CRC", 0) + 1

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Say how many, and of how many the capture shows it."""
        seen = state.codes.get("a wrong CRC", 0)
        topics = f" to topic {', '.join(state.topics)}" if len(state.topics) else ""
        return (
            f"{state.count:,} Produce requests of {key.client.name}{topics} held corrupt batches; {seen:,} show a "
            f"wrong CRC here."
        )


PRODUCE_RULES: tuple[type[Rule[Any]], ...] = (
    AcksZero,
    AcksOne,
    TinyBatches,
    UncompressedBatches,
    SerialSyncSend,
    MessageTooLarge,
    RecordListTooLarge,
    CrcMismatch,
)
