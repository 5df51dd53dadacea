"""A rule about consumers that fall behind."""

from typing import Any, NamedTuple

from kafkasniff.diagnose.facts import FETCH, Client, is_follower, request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory import SECOND, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text
from kafkasniff.diagnose.seen import SeenCall

_MOST_PARTITIONS = 256
_HOUR_NS = 3_600 * SECOND


class LagKey(NamedTuple):
    """What a client reads of a topic."""

    client: Client
    topic: str


class Place(NamedTuple):
    """Where a consumer stands in a partition."""

    time: int
    position: int
    """The offset that it fetches next."""
    end: int
    """The high watermark."""
    start: int
    """The log's start; -1 where that is not said."""


class Reading:
    """How a consumer gets on in a partition."""

    __slots__ = ("first", "last", "least", "position")

    def __init__(self, position: int) -> None:
        """Begin at an offset."""
        self.position = position
        self.first: Place | None = None
        """Where it was closest to the end: since then it falls behind."""
        self.last: Place | None = None
        self.least = 1 << 62
        """The smallest lag."""


class Lag(Tally):
    """A client's partitions of a topic."""

    __slots__ = ("partitions",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.partitions: dict[int, Reading] = {}


class ConsumerLagGrows(Rule[Lag]):
    """A consumer reads slower than others write."""

    id = "consumer-lag-grows"
    title = "A consumer falls behind"
    severity = "info"
    scope = "client and topic"
    thresholds = (
        Threshold("seconds", 10, "s", "for which the distance grows; bursts are over sooner"),
        Threshold("records", 1_000, "records", "by which it grows in that time"),
        Threshold("share", 0.8, "", "of what was written meanwhile was read, or less"),
    )
    apis = frozenset({FETCH})
    meaning = "Records are read later and later, until retention deletes them unread."
    wire = "The high watermark in Fetch answers grows faster than the offsets that the consumer fetches from."
    cause = "The consumer needs longer for a record than producers: slow processing, too few members or partitions."
    fix = (
        "Add members (up to the number of partitions), process in batches or in parallel, fetch more at once "
        "({fetch.min.bytes}; {max.partition.fetch.bytes}); raise retention.ms until it has caught up."
    )

    def new_state(self) -> Lag:
        """Begin with none."""
        return Lag()

    def call(self, seen: SeenCall) -> None:
        """Look at one Fetch a second of each connection: its body is decoded."""
        now = seen.ended
        if now - seen.talk.sampled < SECOND or seen.call.response is None:
            return
        seen.talk.sampled = now
        request = request_of(seen.call)
        if is_follower(request) or seen.failed:
            return
        asked = {
            (self.facts.name_in(topic), partition["partition"]): partition["fetchOffset"]
            for topic in request.get("topics") or ()
            for partition in topic["partitions"][:_MOST_PARTITIONS]
        }
        for topic in response_of(seen.call).get("responses", ()):
            name = self.facts.name_in(topic)
            if name is None:
                continue
            state = self.state(LagKey(seen.client, name))
            for partition in topic["partitions"][:_MOST_PARTITIONS]:
                position = asked.get((name, partition["partitionIndex"]))
                if position is not None and partition["highWatermark"] >= position >= 0:
                    start = partition.get("logStartOffset", -1)
                    self._place(
                        state, partition["partitionIndex"], Place(now, position, partition["highWatermark"], start)
                    )
            state.add(seen.call.ended, f"Fetch of {name}", seen.call.client)

    def _place(self, state: Lag, index: int, place: Place) -> None:
        reading = state.partitions.get(index)
        if reading is None or place.position < reading.position:
            if reading is None and len(state.partitions) >= _MOST_PARTITIONS:
                return
            reading = state.partitions[index] = Reading(place.position)
        reading.position = place.position
        lag = place.end - place.position
        if lag <= reading.least:
            reading.least, reading.first = lag, place
        reading.last = place

    def finding(self, key: Any, state: Lag) -> Finding | None:
        """Fire where the distance has grown since it was smallest, by enough and for long enough."""
        assert isinstance(key, LagKey)
        behind = {index: found for index, reading in state.partitions.items() if (found := self._behind(reading))}
        if not behind:
            return None
        lag = sum(last.end - last.position for _, last in behind.values())
        written = sum(last.end - first.end for first, last in behind.values())
        read = sum(last.position - first.position for first, last in behind.values())
        begun = min(first.time for first, _ in behind.values())
        took = max(last.time for _, last in behind.values()) - begun
        soon = any(_retention_in_sight(first, last) for first, last in behind.values())
        seconds = took / SECOND
        group = self.facts.group(key.client)
        summary = (
            f"{key.client.name}{f' (group {group})' if group else ''} falls behind in topic {key.topic}: for "
            f"{seconds_text(took)}, {written / seconds:,.0f} records/s were written and {read / seconds:,.0f} read; it "
            f"is {lag:,} records behind{', and retention is in sight' if soon else ''}."
        )
        subject = client_subject(key.client, state.clients) | {
            "group": group,
            "topic": key.topic,
            "partition": next(iter(behind)) if len(behind) == 1 else sorted(behind)[:16],
        }
        return self.make(state, subject, summary, count=lag, severity="warning" if soon else "info")

    def _behind(self, reading: Reading) -> tuple[Place, Place] | None:
        """Give since when and up to where a partition is read too slowly; None where it is not."""
        first, last = reading.first, reading.last
        if first is None or last is None or last.time - first.time < self.limits["seconds"] * SECOND:
            return None
        grown = (last.end - last.position) - (first.end - first.position)
        written, read = last.end - first.end, last.position - first.position
        return (first, last) if grown >= self.limits["records"] and read <= self.limits["share"] * written else None


def _retention_in_sight(first: Place, last: Place) -> bool:
    """Tell whether the log's start comes so close within an hour that records are lost."""
    if first.start < 0 or last.start <= first.start:
        return False
    left, nearer = last.position - last.start, (first.position - first.start) - (last.position - last.start)
    return nearer > 0 and left * (last.time - first.time) < nearer * _HOUR_NS


LAG_RULES: tuple[type[Rule[Any]], ...] = (ConsumerLagGrows,)
