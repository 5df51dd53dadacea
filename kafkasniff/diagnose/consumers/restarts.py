"""A rule about consumers that start again and again and get no further."""

from collections.abc import Hashable
from typing import Any, NamedTuple

from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.consumers.offsets import asked_offsets
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.tallies import Names, Tally
from kafkasniff.diagnose.network.churn import without_uuid
from kafkasniff.diagnose.rule import Rule, Threshold, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import CONSUMER_GROUP_HEARTBEAT, FETCH, JOIN_GROUP, LIST_OFFSETS, OFFSET_FETCH

_MOST_PARTITIONS = 256
_NONE = -1
"""In place of an offset that was never committed."""


class RestartKey(NamedTuple):
    """The programs of one client id in a group: each start may have another address, and with Streams a UUID."""

    group: str
    family: str
    """The client id without a UUID."""


class Position:
    """Where a partition is read from at each start."""

    __slots__ = ("committed", "latest", "offset", "reads", "starts")

    def __init__(self, committed: int, latest: SeenCall) -> None:
        """Begin with the offset that is committed."""
        self.committed = committed
        self.latest = latest.client, latest.call.connection
        """Who began there last, and on which connection."""
        self.offset: int | None = None
        """The first that was fetched."""
        self.starts = 0
        self.reads = 0
        """Starts that got records from there."""

    def begin(self, seen: SeenCall) -> None:
        """Count a start; a member beside one that lives takes a partition over from it."""
        client, connection = self.latest
        lives = connection.ended_by is None and connection.first_fin is None
        if not lives or client.client_id == seen.client.client_id:
            self.starts += 1
        self.latest = seen.client, seen.call.connection


class Reread(Tally):
    """How often a partition's records were fetched from one offset, in samples."""

    __slots__ = ("asked", "base")

    def __init__(self, asked: int | None, base: int) -> None:
        """Begin at an offset; None where the request of a fetch session does not say it anew (KIP-227)."""
        super().__init__()
        self.asked = asked
        self.base = base
        """Of the first batch."""

    def is_at(self, asked: int | None, base: int) -> bool:
        """Tell whether a fetch is from the same offset: a session's request names it only where it changes."""
        return base == self.base and (asked is None or self.asked in (asked, None))


class Starts(Tally):
    """Starts of a group's consumers, by what they learn of each partition."""

    __slots__ = ("client_ids", "fetched", "positions", "rereads")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.positions: dict[tuple[str, int], Position] = {}
        self.client_ids = Names()
        self.rereads: dict[tuple[str, int], Reread] = {}
        self.fetched = False
        """Whether any of them looked for offsets or records."""


class RestartAtSameOffset(Rule[Starts]):
    """A consumer starts again and again at the same offset."""

    id = "restart-at-same-offset"
    title = "A consumer starts again and again at the same offset"
    severity = "error"
    scope = "group and client id"
    looks_across_clients = True
    state_type = Starts
    sampled = frozenset({FETCH})
    used = frozenset({OFFSET_FETCH, FETCH, LIST_OFFSETS})
    thresholds = (
        Threshold("starts", 3, "starts", "with the same committed offset; deployments bring one or two"),
        Threshold("reads", 2, "starts", "of them that got records from there, so that there was something to commit"),
        Threshold("again", 4, "fetches", "of the same records, a second or more apart, where the consumer runs on"),
    )
    meaning = "The program dies before it commits, so that it gets no further, and each start rebalances the group."
    wire = (
        "New connections again and again, each with JoinGroup and OffsetFetch; the committed offset is the same (or "
        "none), Fetch from there brings records, and no commit follows. Or OffsetFetch tells that there is no offset, "
        "and nothing is fetched at all. Or a running consumer fetches the same records from the same offset again and "
        "again (a warning)."
    )
    cause = (
        "A record that the program cannot process, as one that its deserializer refuses (another schema, no magic "
        "byte); or the consumer takes no other offset ({auto.offset.reset}) and none was ever committed."
    )
    fix = (
        "Look at the record at that offset, and at the program's log. Handle errors of deserializers (skip, or send "
        "the record to a dead letter topic), or move the group beyond it (kafka-consumer-groups.sh --reset-offsets); "
        "keep what must not come out of the topic by a schema check at the producer."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with nobody known."""
        super().__init__(*arguments)
        self._keys: Bounded[RestartKey] = Bounded()
        """By client, the group whose offsets it asked for last."""
        self._sizes: Bounded[int] = Bounded()
        """By connection, the bytes of records in the latest sample."""

    def samples(self, seen: SeenCall) -> None:
        """See whether the same records are fetched again: most answers have another size than the last."""
        size = seen.told_bytes
        if size:
            before = self._sizes.get(seen.call.connection)
            self._sizes.put(seen.call.connection, size)
            if size == before:
                self._reread(seen)

    def _reread(self, seen: SeenCall) -> None:
        group = self.facts.group(seen.client)
        key = self._keys.get(seen.client) or (group and RestartKey(group, without_uuid(seen.client.client_id or "")))
        if not key:
            return
        state, asked = self.state(key), asked_offsets(seen.call, self.facts)
        bases: dict[str, int] = {}
        for side, path, batch in seen.call.batch_headers:
            if side == "response" and batch.base_offset is not None:
                bases.setdefault(path.rpartition(".")[0], batch.base_offset)
        for number, topic in enumerate(response_of(seen.call).get("responses", ())):
            name = self.facts.name_in(topic)
            for index, partition in enumerate(topic["partitions"] if name is not None else ()):
                base = bases.get(f"responses[{number}].partitions[{index}]")
                if base is not None:
                    self._compare(seen, state, (str(name), partition["partitionIndex"]), asked, base)

    def _compare(
        self,
        seen: SeenCall,
        state: Starts,
        place: tuple[str, int],
        asked: dict[Hashable, int],
        base: int,
    ) -> None:
        known, offset = state.rereads.get(place), asked.get(place)
        if known is None or not known.is_at(offset, base):
            if known is not None or len(state.rereads) < _MOST_PARTITIONS:
                state.rereads[place] = Reread(offset, base)
            return
        state.client_ids.add(seen.client.client_id or None)
        known.add(seen.call.ended, f"Fetch of {place[0]}-{place[1]} from offset {base} again", seen.call)

    def uses(self, seen: SeenCall) -> None:
        """Look at a start's first OffsetFetch, and at the first Fetch of its connections."""
        if seen.call.response is None:
            return
        if seen.key == OFFSET_FETCH:
            if seen.history.used(JOIN_GROUP) or seen.history.used(CONSUMER_GROUP_HEARTBEAT):
                self._starts(seen)
        else:
            key = self._keys.get(seen.client)
            state = self.states.get(key) if key is not None else None
            if state is not None:
                state.fetched = True
                if seen.key == FETCH:
                    self._reads(seen, state)

    def _starts(self, seen: SeenCall) -> None:
        request, response = request_of(seen.call), response_of(seen.call)
        groups = response.get("groups") or [response | {"groupId": request.get("groupId")}]
        if seen.failed or len(groups) != 1 or not groups[0].get("groupId"):
            return
        client_id = seen.client.client_id or ""
        key = RestartKey(short_name(groups[0]["groupId"]), without_uuid(client_id))
        self._keys.put(seen.client, key)
        state = self.state(key)
        state.client_ids.add(client_id or None)
        told = []
        for topic in groups[0].get("topics") or ():
            name = self.facts.name_in(topic)
            for partition in topic["partitions"] if name is not None else ():
                place, committed = (str(name), partition["partitionIndex"]), partition["committedOffset"]
                position = state.positions.get(place)
                if position is None or position.committed != committed:
                    if position is None and len(state.positions) >= _MOST_PARTITIONS:
                        continue
                    position = state.positions[place] = Position(committed, seen)
                position.begin(seen)
                told.append(f"{place[0]}-{place[1]} at {committed}")
        if told:
            state.add(seen.call.ended, f"OffsetFetch of a new connection: {', '.join(told[:3])}", seen.call)

    def _reads(self, seen: SeenCall, state: Starts) -> None:
        filled = {place.path.rpartition(".")[0] for place in seen.told_records if place.end > place.start}
        if not filled:
            return
        asked = asked_offsets(seen.call, self.facts)
        for number, topic in enumerate(response_of(seen.call).get("responses", ())):
            name = self.facts.name_in(topic)
            for index, partition in enumerate(topic["partitions"]):
                place = name, partition["partitionIndex"]
                position = state.positions.get((place[0] or "", place[1]))
                if position is None or f"responses[{number}].partitions[{index}]" not in filled:
                    continue
                offset = asked.get(place)
                if position.offset is not None and position.offset != offset:
                    position.starts, position.reads = 1, 0
                position.offset = offset
                position.reads += 1

    def finding(self, key: Any, state: Starts) -> Finding | None:
        """Fire where a partition was begun at the same offset often enough."""
        assert isinstance(key, RestartKey)
        least = self.limits["starts"]
        stuck = [
            (place, position)
            for place, position in state.positions.items()
            if position.starts >= least
            and (position.reads >= self.limits["reads"] or (position.committed == _NONE and not state.fetched))
        ]
        if not stuck:
            return self._runs_on(key, state)
        (topic, index), position = max(stuck, key=lambda item: (item[1].reads, item[1].starts))
        committed = "nothing is committed" if position.committed == _NONE else f"committed is {position.committed:,}"
        cause = fix = None
        if position.reads:
            where = f"read {topic}-{index} from offset {position.offset} each time"
        else:
            where = f"were told that there is no offset for {topic}-{index}, and fetched nothing"
            cause = (
                "The consumer takes no other offset ({auto.offset.reset}), and none was ever committed, or it was "
                "deleted after offsets.retention.minutes."
            )
            fix = (
                "Let it begin at the earliest or the latest record ({auto.offset.reset}), or give the group offsets "
                "before it starts (kafka-consumer-groups.sh --reset-offsets)."
            )
        summary = (
            f"Consumers {key.family or 'without client id'} of group {key.group} started "
            f"{times_text(position.starts)} within {seconds_text(state.span_ns)} and {where}; {committed}."
        )
        client_id = state.client_ids.only or list(state.client_ids)
        subject = {"clientId": client_id, "group": key.group, "topic": topic, "partition": index}
        return self.make(state, subject, summary, count=position.starts, cause=cause, fix=fix)

    def _runs_on(self, key: RestartKey, state: Starts) -> Finding | None:
        """Fire where a consumer that runs on gets no further."""
        place, reread = max(state.rereads.items(), key=lambda item: item[1].count, default=(("", 0), None))
        if reread is None or reread.count < self.limits["again"]:
            return None
        client_id = state.client_ids.only or list(state.client_ids)
        who = ", ".join(state.client_ids) or "A consumer"
        summary = (
            f"{who} of group {key.group} fetched {place[0]}-{place[1]} from offset {reread.base} again and again, for "
            f"{seconds_text(reread.span_ns)}, without getting further."
        )
        subject = {"clientId": client_id, "group": key.group, "topic": place[0], "partition": place[1]}
        cause = (
            "A record that the program cannot process: it, or its framework (kafkajs, Spring's DefaultErrorHandler), "
            "goes back to it and tries again."
        )
        return self.make(reread, subject, summary, cause=cause, severity="warning")


RESTART_RULES: tuple[type[Rule[Any]], ...] = (RestartAtSameOffset,)
