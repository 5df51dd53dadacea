"""Rules about share groups (KIP-932)."""

from typing import Any, NamedTuple

from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import SHARE_ACKNOWLEDGE, SHARE_FETCH

_RELEASE = 2
"""Of `acknowledgeTypes`: 0 gap, 1 accept, 2 release, 3 reject (ShareAcknowledgeRequest.json)."""
_OFTEN = 4
"""Deliveries of a record from which on it is close to group.share.delivery.count.limit (5 by default)."""


class ShareKey(NamedTuple):
    """A consumer's share of a topic."""

    client: Client
    group: str
    topic_id: str


class Deliveries(Tally):
    """What was acquired and acknowledged, in records."""

    __slots__ = ("acknowledged", "acquired", "most", "name", "often", "released")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.acquired = 0
        self.often = 0
        """Of the acquired, those delivered for the fourth time or later."""
        self.most = 0
        """The highest delivery count."""
        self.acknowledged = 0
        self.released = 0
        self.name: str | None = None
        """Of the topic, where it is known."""


class RedeliveryLoop(Rule[Deliveries]):
    """A share consumer gives all records back."""

    id = "redelivery-loop"
    title = "Records of a share group are delivered again and again"
    severity = "warning"
    scope = "client, group and topic"
    state_type = Deliveries
    apis = frozenset({SHARE_FETCH, SHARE_ACKNOWLEDGE})
    request_fields = frozenset(
        {"groupId", "topics", "topicId", "partitions", "acknowledgementBatches"}
        | {"firstOffset", "lastOffset", "acknowledgeTypes"}
    )
    response_fields = frozenset(
        {"responses", "topicId", "partitions", "acquiredRecords", "firstOffset", "lastOffset", "deliveryCount"}
    )
    thresholds = (
        Threshold("records", 10, "records", "acquired for the fourth time or later; some failures are what it is for"),
        Threshold("share", 0.25, "", "of all that is acquired: where nothing is accepted, two of five deliveries are"),
        Threshold("released", 0.5, "", "of all that is acknowledged"),
    )
    meaning = "No record is processed, and each is archived, that is lost, after group.share.delivery.count.limit."
    wire = (
        "ShareFetch acquires records with deliveryCount 4 and more, and ShareAcknowledge (or the next ShareFetch) "
        "releases them (acknowledge type 2)."
    )
    cause = "What the consumer depends on is down, such as its database; or it fails at each record."
    fix = (
        "Bring back what it depends on; stop the consumer until then. Reject what can never be processed, instead of "
        "releasing it. Raise group.share.delivery.count.limit (default 5) where failures last longer; read archived "
        "records from the topic by another group."
    )

    def call(self, seen: SeenCall) -> None:
        """Count records that are acquired, and how they are acknowledged."""
        group = short_name(seen.request.get("groupId") or "")
        for topic in seen.response.get("responses", ()) if seen.key == SHARE_FETCH else ():
            for partition in topic["partitions"]:
                batches = partition.get("acquiredRecords")
                if batches:
                    self._acquire(seen, self._state(seen, group, topic), batches)
        for topic in seen.request.get("topics") or ():
            for partition in topic["partitions"]:
                for batch in partition.get("acknowledgementBatches") or ():
                    self._acknowledge(self._state(seen, group, topic), batch)

    def _state(self, seen: SeenCall, group: str, topic: dict[str, Any]) -> Deliveries:
        state = self.state(ShareKey(seen.client, group, str(topic.get("topicId"))))
        state.name = state.name or self.facts.name_in(topic)
        return state

    def _acquire(self, seen: SeenCall, state: Deliveries, batches: list[dict[str, Any]]) -> None:
        for batch in batches:
            count = max(batch["lastOffset"] - batch["firstOffset"] + 1, 0)
            state.acquired += count
            state.most = max(state.most, batch["deliveryCount"])
            if batch["deliveryCount"] >= _OFTEN:
                state.often += count
                what = (
                    f"offsets {batch['firstOffset']} to {batch['lastOffset']} delivered {batch['deliveryCount']} times"
                )
                state.add(seen.call.ended, what, seen.call)

    def _acknowledge(self, state: Deliveries, batch: dict[str, Any]) -> None:
        count, types = max(batch["lastOffset"] - batch["firstOffset"] + 1, 0), batch["acknowledgeTypes"]
        state.acknowledged += count
        if len(types) == 1:
            state.released += count if types[0] == _RELEASE else 0
        else:
            state.released += sum(each == _RELEASE for each in types)

    def finding(self, key: Any, state: Deliveries) -> Finding | None:
        """Fire from the thresholds on."""
        assert isinstance(key, ShareKey)
        if state.often < self.limits["records"] or state.often < self.limits["share"] * state.acquired:
            return None
        if state.released < self.limits["released"] * state.acknowledged:
            return None
        topic = state.name or f"id {key.topic_id}"
        summary = (
            f"{key.client.name} released {state.released:,} of {state.acknowledged:,} records of topic {topic} "
            f"within {seconds_text(state.span_ns)}; they come again, up to {state.most} times."
        )
        subject = client_subject(key.client, state.clients) | {"group": key.group, "topic": state.name}
        return self.make(state, subject, summary, count=state.often)


SHARE_RULES: tuple[type[Rule[Any]], ...] = (RedeliveryLoop,)
