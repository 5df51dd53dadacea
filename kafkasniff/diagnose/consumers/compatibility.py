# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about batches that a consumer's protocol version does not fit."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorTally, TopicErrorRule
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.facts.whole_bodies import FETCHED_FIELDS, request_of, requested
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.options.kafkajs import KAFKAJS
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject
from kafkasniff.diagnose.seen.seen_call import WITH_RECORDS, SeenCall
from kafkasniff.protocol.api_keys import FETCH, HEARTBEAT, LEAVE_GROUP, OFFSET_COMMIT, PRODUCE
from kafkasniff.protocol.error_codes.numbers import UNSUPPORTED_COMPRESSION_TYPE
from kafkasniff.tcp.events import Connection

_FIRST_WITH_ZSTD = 10
"""Version of Fetch from which on it may be answered with zstd (KIP-110)."""
_FIRST_WITH_MAGIC_2 = 4
_PRODUCE_WITH_MAGIC_2 = 3
"""Versions of Fetch and Produce from which on batches are of magic 2 (KIP-98)."""
_NEWEST_OF_KAFKAJS = 11
"""Version of Fetch that kafkajs 2.2.4 ends with (src/protocol/requests/fetch/index.js)."""
_PACKAGES = frozenset({"snappy", "lz4", "zstd"})
"""Codecs that kafkajs has from packages only, which a program must add (src/protocol/message/compression/index.js)."""
_MOST_TOPICS = 10_000
_WENT_ON = 1 << 62


class Stopped(NamedTuple):
    """Where a client was when it got a batch that it may be unable to read."""

    time: int
    offsets: dict[int, int]
    """What it asked for of the topic, by partition."""
    codec: str
    known: bool
    """Whether the version of Fetch knows the codec, so that only a package may be missing."""


class UnreadableCompression(TopicErrorRule):
    """A consumer cannot read the producers' codec."""

    id = "unreadable-compression"
    title = "The consumer cannot read the producers' compression"
    severity = "error"
    scope = "client and topic"
    codes = frozenset({UNSUPPORTED_COMPRESSION_TYPE})
    apis = sampled = frozenset({FETCH})
    used = frozenset({HEARTBEAT, LEAVE_GROUP})
    request_fields = frozenset({"topics", "topic", "topicId", "partitions", "partition", "fetchOffset"})
    thresholds = (
        Threshold("calls", 1, "calls", "refused: the same request cannot succeed later"),
        Threshold("seconds", 5, "s", "of heartbeats after the first zstd batch, without a Fetch beyond it"),
        Threshold("leaves", 2, "s", "within which kafkajs leaves its group after the first batch, without a commit"),
    )
    meaning = "The consumer gets no record of the partition from the first zstd batch on, while its heartbeats go on."
    wire = (
        "Fetch below version 10 answered with 76 UNSUPPORTED_COMPRESSION_TYPE (KIP-110); or with zstd batches, behind "
        "which the client fetches no more of the topic, but goes on with heartbeats. Or kafkajs, which has snappy, lz4 "
        "and zstd from packages only, leaves its group as soon as it has got such a batch."
    )
    cause = "The producers compress with zstd, and the consumer's library is older than Kafka 2.1's protocol."
    fix = (
        "Upgrade the consumer's library (Java 2.1+, librdkafka 1.0+ built with zstd), or raise its protocol "
        "version ({api_version}); until then let the producers (or compression.type of the topic) use lz4, snappy "
        "or gzip."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with nobody stopped."""
        super().__init__(*arguments)
        self._stopped: Bounded[Stopped] = Bounded()
        """By client and topic; those that went on are at the end of time."""
        self._alive: Bounded[Connection] = Bounded()
        """The connection on which a client sends its heartbeats."""
        self._left: Bounded[int] = Bounded()
        """When a client left its group, without a commit (ns)."""

    def wanted(self, call: Call) -> bool:
        """Look at consumers; of producers the error is told as it is."""
        return call.api_key == FETCH

    def version(self, api_key: int, version: int) -> bool:
        """Look at Fetch in old versions only."""
        return version < _FIRST_WITH_ZSTD

    def uses(self, seen: SeenCall) -> None:
        """Note where a client sends its heartbeats, and when it leaves without a commit."""
        if seen.key == HEARTBEAT:
            self._alive.put(seen.client, seen.call.connection)
        elif not seen.history.used(OFFSET_COMMIT):
            self._left.put(seen.client, seen.sent)

    def samples(self, seen: SeenCall) -> None:
        """See whether kafkajs goes on: it waits for up to five seconds for records, and stops at the first."""
        if _FIRST_WITH_ZSTD <= (seen.call.api_version or 0) <= _NEWEST_OF_KAFKAJS:
            self._follow(seen, requested(seen.call, FETCHED_FIELDS))

    def call(self, seen: SeenCall) -> None:
        """See whether clients go on behind a zstd batch."""
        self._follow(seen, seen.request)

    def _follow(self, seen: SeenCall, request: dict[str, Any]) -> None:
        for topic in request.get("topics") or ():
            key = ErrorKey(seen.client, self.facts.name_in(topic))
            offsets = {item["partition"]: item["fetchOffset"] for item in topic["partitions"]}
            stopped = self._stopped.get(key)
            if stopped is not None and any(offset > stopped.offsets.get(at, offset) for at, offset in offsets.items()):
                self._stopped.put(key, Stopped(_WENT_ON, {}, stopped.codec, stopped.known))
                self.states.pop(key)
            elif stopped is None and seen.told_records:
                self._look(seen, key, offsets)

    def _look(self, seen: SeenCall, key: ErrorKey, offsets: dict[int, int]) -> None:
        for where, path, batch in seen.call.batch_headers:
            known = (seen.call.api_version or 0) >= _FIRST_WITH_ZSTD
            if where == "response" and batch.compression in (_PACKAGES if known else ("zstd",)):
                error = FieldError("response", path, 76, f"{batch.compression} batches")
                if self.topic_of(seen.call, error) == key.name:
                    self._stopped.put(key, Stopped(seen.ended, offsets, batch.compression, known))
                    self.count(key, seen.call, error)
                    return

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire where it was refused, or where a client lives on and reads no more."""
        stopped, alive = self._stopped.get(key), self._alive.get(key.client)
        if stopped is not None and stopped.known:
            left = self._left.get(key.client) or 0
            if not 0 <= left - stopped.time <= self.limits["leaves"] * SECOND or not self._is_kafkajs(key.client):
                return None
        elif stopped is not None:
            lasted = alive.last.time - stopped.time if alive is not None else 0
            if lasted < self.limits["seconds"] * SECOND:
                return None
        return super().finding(key, state)

    def _is_kafkajs(self, client: Client) -> bool:
        profiles = self.facts.profiles.known([client.client_id or ""], [client.host])
        return bool(profiles) and all(profile.libraries() == {KAFKAJS} for profile in profiles)

    def more_subject(self, key: ErrorKey) -> dict[str, Any]:
        """Name the group, where the client has one."""
        return {"group": self.facts.group(key.client)}

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name client and topic."""
        stopped = self._stopped.get(key)
        if stopped is not None and stopped.known:
            return (
                f"{key.client.name} got batches of topic {key.name} compressed with {stopped.codec}, which kafkajs "
                f"reads only with a package that adds it, and left its group at once, without a commit."
            )
        return (
            f"{key.client.name} fetches topic {key.name}, whose batches are compressed with zstd, in a version that "
            f"does not know it ({', '.join(state.codes)}), and gets no further."
        )


class ConvertedKey(NamedTuple):
    """What a client reads in an old format."""

    client: Client
    topic: str


class MessageDownConversion(Rule[Tally]):
    """A broker converts batches for an old consumer."""

    id = "message-down-conversion"
    title = "The broker converts records to an old format for a consumer"
    severity = "warning"
    scope = "client and topic"
    state_type = Tally
    apis = frozenset({FETCH})
    used = frozenset({PRODUCE, FETCH})
    only = dict.fromkeys(apis, WITH_RECORDS)
    thresholds = (Threshold("answers", 10, "answers", "with converted records, of a topic whose batches are newer"),)
    meaning = (
        "The broker has to read, decompress and rewrite the batches in its heap instead of sending them from the page "
        "cache; headers of records are lost. Kafka 4.0 no longer does it (KIP-896)."
    )
    wire = (
        "Fetch below version 4 answered with messages of magic 0 or 1, of a topic that others write or read with "
        "magic 2."
    )
    cause = "An old consumer library, or one whose protocol version is set too low (sarama: config.Version)."
    fix = "Upgrade the consumer, or raise its protocol version ({api_version})."

    def __init__(self, *arguments: Any) -> None:
        """Begin with no topic known."""
        super().__init__(*arguments)
        self._newer: Bounded[bool] = Bounded(_MOST_TOPICS)
        """Topics whose batches are of magic 2."""

    def version(self, api_key: int, version: int) -> bool:
        """Look at old versions only."""
        return version < _FIRST_WITH_MAGIC_2

    def uses(self, seen: SeenCall) -> None:
        """Learn of which topics batches are of magic 2."""
        version = seen.call.api_version or 0
        if seen.key == PRODUCE and version >= _PRODUCE_WITH_MAGIC_2:
            names = [self.facts.name_in(topic) for topic in request_of(seen.call).get("topicData", ())]
        elif seen.key == FETCH and version >= _FIRST_WITH_MAGIC_2 and seen.told_records:
            found = [path for where, path, batch in seen.call.batch_headers if where == "response" and batch.magic == 2]
            errors = [FieldError("response", path, 0, "") for path in found[:1]]
            names = [self._topic(seen.call, error) for error in errors]
        else:
            return
        for name in names:
            if name is not None:
                self._newer.put(name, True)

    def _topic(self, call: Call, place: FieldError) -> str | None:
        return TopicErrorRule.topic_of(self, call, place)  # type: ignore[arg-type]

    def call(self, seen: SeenCall) -> None:
        """Count answers with old messages."""
        for where, path, batch in seen.call.batch_headers:
            if where == "response" and batch.magic < 2:
                name = self._topic(seen.call, FieldError("response", path, 0, ""))
                if name is not None:
                    what = f"Fetch v{seen.call.api_version} answered with magic {batch.magic}"
                    self.state(ConvertedKey(seen.client, name)).add(seen.call.ended, what, seen.call, name)
                return

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire where the topic's own batches are newer."""
        assert isinstance(key, ConvertedKey)
        if state.count < self.limits["answers"] or not self._newer.get(key.topic):
            return None
        summary = (
            f"{key.client.name} got records of topic {key.topic} converted to an old format {state.count:,} times."
        )
        subject = client_subject(key.client, state.clients) | {
            "topic": key.topic,
            "group": self.facts.group(key.client),
        }
        return self.make(state, subject, summary)


COMPATIBILITY_RULES: tuple[type[Rule[Any]], ...] = (UnreadableCompression, MessageDownConversion)
