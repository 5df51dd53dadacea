# cython: language_level=3, annotation_typing=False, boundscheck=True
"""A rule about consumers that fall behind, and where they stand."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.facts.facts import Facts
from kafkasniff.diagnose.facts.whole_bodies import FETCHED_FIELDS, answered, is_follower, requested, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import AnyBounded, Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text, state_of
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import FETCH, LIST_OFFSETS, OFFSET_COMMIT, PRODUCE

_MOST_PARTITIONS = 64
_HOUR_NS = 3_600 * SECOND
_FRESH_NS = 2 * SECOND
"""For so long an end that was told holds for what is committed after it; a long poll takes half a second."""
_MOST_ENDS = 100_000
_TOPIC_FIELDS = frozenset({"topics", "name", "topicId", "partitions", "partitionIndex"})
_COMMIT_FIELDS = _TOPIC_FIELDS | {"groupId", "committedOffset"}
_ASKED_FIELDS = _TOPIC_FIELDS | {"timestamp"}
_END_FIELDS = _TOPIC_FIELDS | {"offset"}
_FETCH_FIELDS = frozenset(
    {"responses", "topic", "topicId", "partitions", "partitionIndex", "highWatermark", "logStartOffset"}
)
_WRITTEN_FIELDS = frozenset({"responses", "name", "topicId", "partitionResponses", "index", "baseOffset"})
_LATEST = -1
"""Timestamp with which ListOffsets asks for the end (ListOffsetsRequest.LATEST_TIMESTAMP)."""


class LagKey(NamedTuple):
    """What a client reads of a topic."""

    client: Client
    topic: str


class Point:
    """Where a consumer stands in a partition."""

    __slots__ = ("end", "position", "start", "time")

    def __init__(self, time: int, position: int, end: int, start: int) -> None:
        """Take where it stands at a time (ns)."""
        self.time = time
        self.position = position
        """The offset that it fetches next, or has committed."""
        self.end = end
        """The high watermark."""
        self.start = start
        """The log's start; -1 where that is not said."""

    @property
    def lag(self) -> int:
        """Give the records between."""
        return self.end - self.position


class Track:
    """How a consumer gets on in a partition."""

    __slots__ = ("first", "last")

    def __init__(self, point: Point) -> None:
        """Begin at a point."""
        self.first = point
        """Where it was closest to the end: since then it falls behind."""
        self.last = point

    def add(self, point: Point) -> "Track":
        """Take the next point; give a new track where the consumer went back."""
        if point.position < self.last.position:
            return Track(point)
        if point.end - point.position <= self.first.end - self.first.position:
            self.first = point
        self.last = point
        return self


class Written(NamedTuple):
    """How far a partition was written, at least."""

    time: int
    end: int


class Partition:
    """What is known of a partition that a client reads: many libraries fetch long before the program has its turn."""

    __slots__ = ("committed", "end", "fetched", "latest", "start", "told")

    def __init__(self) -> None:
        """Begin with nothing known."""
        self.end = self.start = -1
        self.told = 0
        """When the end was told (ns)."""
        self.latest: int | None = None
        """The offset that was committed last."""
        self.fetched: Track | None = None
        self.committed: Track | None = None

    @property
    def tracks(self) -> Iterator[tuple[str, Track]]:
        """Give what was committed, and what was fetched, as far as either is known."""
        for name, track in (("commit", self.committed), ("fetch", self.fetched)):
            if track is not None:
                yield name, track


class Lag(Tally):
    """A client's partitions of a topic."""

    __slots__ = ("group", "partitions")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.partitions: dict[int, Partition] = {}
        self.group: str | None = None
        """For which it commits."""

    def partition(self, index: int) -> Partition | None:
        """Give what is known of a partition; None where there are too many."""
        known = self.partitions.get(index)
        if known is None and len(self.partitions) < _MOST_PARTITIONS:
            known = self.partitions[index] = Partition()
        return known


class ConsumerLagGrows(Rule[Lag]):
    """A consumer reads slower than others write."""

    id = "consumer-lag-grows"
    title = "A consumer falls behind"
    severity = "info"
    scope = "client and topic"
    state_type = Lag
    thresholds = (
        Threshold("seconds", 10, "s", "for which the distance grows; bursts are over sooner"),
        Threshold("records", 100, "records", "by which it grows in that time"),
        Threshold("share", 0.8, "", "of what was written meanwhile was read, or less"),
    )
    looks_across_clients = True
    sampled = frozenset({FETCH, OFFSET_COMMIT, LIST_OFFSETS, PRODUCE})
    meaning = "Records are read later and later, until retention deletes them unread."
    wire = (
        "The high watermark in Fetch answers (or the end in those of ListOffsets, or the offsets in those of anybody's "
        "Produce) grows faster than the offsets that the consumer commits, or fetches from."
    )
    cause = "The consumer needs longer for a record than producers: slow processing, too few members or partitions."
    fix = (
        "Add members (up to the number of partitions), process in batches or in parallel, fetch more at once "
        "({fetch.min.bytes}; {max.partition.fetch.bytes}); raise retention.ms until it has caught up."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with nothing written."""
        super().__init__(*arguments)
        self._written: Bounded[Written] = Bounded(_MOST_ENDS)
        """By topic and partition."""

    def samples(self, seen: SeenCall) -> None:
        """Look at one call a second of each connection and API."""
        if seen.key == FETCH:
            self._fetch(seen)
        elif seen.key == PRODUCE:
            self._write(seen)
        elif seen.key == OFFSET_COMMIT:
            self._commit(seen)
        else:
            self._ends(seen)

    def _write(self, seen: SeenCall) -> None:
        """Note how far partitions are written: a consumer whose buffer is full fetches, and is told, nothing."""
        for topic in answered(seen.call, _WRITTEN_FIELDS).get("responses", ()):
            name = self.facts.name_in(topic)
            for item in topic["partitionResponses"] if name is not None else ():
                if item["baseOffset"] >= 0:
                    self._written.put((name, item["index"]), Written(seen.ended, item["baseOffset"] + 1))

    @cython.locals(seen=SeenCall, state=Lag, known=Partition)
    def _fetch(self, seen: SeenCall) -> None:
        request = requested(seen.call, FETCHED_FIELDS)
        if is_follower(request):
            return
        asked = {
            (self.facts.name_in(topic), partition["partition"]): partition["fetchOffset"]
            for topic in request.get("topics") or ()
            for partition in topic["partitions"][:_MOST_PARTITIONS]
        }
        for topic in answered(seen.call, _FETCH_FIELDS).get("responses", ()):
            name = self.facts.name_in(topic)
            if name is None:
                continue
            state = state_of(self, (seen.client, name))  # A plain tuple is made sooner than `LagKey`.
            for item in topic["partitions"][:_MOST_PARTITIONS]:
                position = asked.get((name, item["partitionIndex"]))
                known = state.partition(item["partitionIndex"])
                if position is not None and known is not None and item["highWatermark"] >= position >= 0:
                    known.end, known.told = item["highWatermark"], seen.ended
                    known.start = item.get("logStartOffset", -1)
                    point = Point(seen.ended, position, known.end, known.start)
                    known.fetched = known.fetched.add(point) if known.fetched is not None else Track(point)
            state.add(seen.call.ended, f"Fetch of {name}", seen.call)

    @cython.locals(seen=SeenCall, state=Lag, known=Partition, offset=cython.longlong, writes=AnyBounded)
    def _commit(self, seen: SeenCall) -> None:
        """Compare what is committed with the ends that the client was last told."""
        request, writes = requested(seen.call, _COMMIT_FIELDS), self._written
        for topic in request.get("topics") or ():
            name = self.facts.name_in(topic)
            if name is None:
                continue
            state = state_of(self, (seen.client, name))
            state.group = request.get("groupId")
            for item in topic["partitions"][:_MOST_PARTITIONS]:
                known, offset = state.partition(item["partitionIndex"]), item["committedOffset"]
                if known is None or offset < 0:
                    continue
                known.latest = offset
                written = writes.get((name, item["partitionIndex"]))
                if written is not None and written.end > known.end:
                    known.told, known.end = written
                if known.end >= offset and seen.ended - known.told <= _FRESH_NS:
                    point = Point(seen.ended, offset, known.end, known.start)
                    known.committed = known.committed.add(point) if known.committed is not None else Track(point)
            state.add(seen.call.ended, f"OffsetCommit of {name}", seen.call)

    def _ends(self, seen: SeenCall) -> None:
        """Take in ends of partitions that the client asks for."""
        asked = {
            (self.facts.name_in(topic), partition["partitionIndex"]): partition["timestamp"]
            for topic in requested(seen.call, _ASKED_FIELDS).get("topics") or ()
            for partition in topic["partitions"]
        }
        for topic in answered(seen.call, _END_FIELDS).get("topics", ()):
            name = self.facts.name_in(topic)
            state = self.states.get(LagKey(seen.client, name)) if name is not None else None
            for item in topic["partitions"] if state is not None else ():
                index = item["partitionIndex"]
                known = state.partitions.get(index) if state is not None else None
                if known is not None and asked.get((name, index)) == _LATEST:
                    known.end, known.told = max(known.end, item.get("offset", -1)), seen.ended

    def finding(self, key: Any, state: Lag) -> Finding | None:
        """Fire where the distance has grown since it was smallest, by enough and for long enough."""
        key = LagKey(*key)
        behind = {index: track for index, known in state.partitions.items() if (track := self._behind(known))}
        if not behind:
            return None
        tracks = behind.values()
        lag = sum(track.last.lag for track in tracks)
        written = sum(track.last.end - track.first.end for track in tracks)
        read = sum(track.last.position - track.first.position for track in tracks)
        took = max(track.last.time for track in tracks) - min(track.first.time for track in tracks)
        soon = any(_retention_in_sight(track.first, track.last) for track in tracks)
        seconds = took / SECOND
        group = state.group or self.facts.group(key.client)
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

    def _behind(self, known: Partition) -> Track | None:
        """Give since when and up to where a partition is read too slowly; None where it is not."""
        for _, track in known.tracks:
            first, last = track.first, track.last
            written, read = last.end - first.end, last.position - first.position
            lasting = last.time - first.time >= self.limits["seconds"] * SECOND
            if lasting and last.lag - first.lag >= self.limits["records"] and read <= self.limits["share"] * written:
                return track
        return None


class Standing(NamedTuple):
    """Where a client stands in a partition at the end."""

    client: Client
    group: str | None
    topic: str
    partition: int
    by: str
    """`commit` or `fetch`: what its position is known from."""
    position: int
    end: int
    first: Point
    """Where it was closest to the end."""
    last: Point
    """Where its position and the end were last told together."""

    @property
    def lag(self) -> int:
        """Give the records between, at least: the end may have been told before the position."""
        return self.end - self.position

    def per_second(self, records: int) -> float | None:
        """Give a rate over the time between the points; None where there is none."""
        seconds = (self.last.time - self.first.time) / SECOND
        return records / seconds if seconds else None


class Ends:
    """How far partitions are written, by the answers to Produce."""

    def __init__(self) -> None:
        """Begin with none."""
        self.by_partition: dict[tuple[str | None, int], int] = {}
        self._facts = Facts()

    def feed(self, item: Item) -> None:
        """Take what comes next."""
        if isinstance(item, Call):
            self._facts.learn(item)
            for topic in response_of(item).get("responses", ()) if item.api_key == PRODUCE else ():
                name = self._facts.name_in(topic)
                for partition in topic["partitionResponses"]:
                    key, written = (name, partition["index"]), partition["baseOffset"] + 1
                    if not partition["errorCode"] and (key in self.by_partition or len(self.by_partition) < _MOST_ENDS):
                        self.by_partition[key] = max(self.by_partition.get(key, 0), written)


def standings(rules: Iterable[Rule[Any]], ends: Ends) -> list[Standing]:
    """Give where clients stand in the partitions that they read, by what that rule has seen, the farthest first."""
    found = []
    rule = next(each for each in rules if isinstance(each, ConsumerLagGrows))
    for key, state in rule.states.items():
        client, topic = key
        group = state.group or rule.facts.group(client)
        for index, known in state.partitions.items():
            for by, track in known.tracks:
                position = known.latest if by == "commit" and known.latest is not None else track.last.position
                end = max(known.end, position, ends.by_partition.get((topic, index), 0))
                found.append(Standing(client, group, topic, index, by, position, end, track.first, track.last))
                break
    return sorted(found, key=lambda each: (-each.lag, each.topic, each.partition))


def _retention_in_sight(first: Point, last: Point) -> bool:
    """Tell whether the log's start comes so close within an hour that records are lost."""
    if first.start < 0 or last.start <= first.start:
        return False
    left, nearer = last.position - last.start, (first.position - first.start) - (last.position - last.start)
    return nearer > 0 and left * (last.time - first.time) < nearer * _HOUR_NS


LAG_RULES: tuple[type[Rule[Any]], ...] = (ConsumerLagGrows,)
