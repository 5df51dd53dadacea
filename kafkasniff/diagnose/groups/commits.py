# cython: language_level=3, annotation_typing=False, boundscheck=True
"""The rule about members that commit far too often."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # of Cython's own decorators type checkers make Any
    from kafkasniff import uncompiled as cython
else:
    try:
        import cython
    except ImportError:
        from kafkasniff import uncompiled as cython

from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.rates import SECOND, Rate
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, state_of
from kafkasniff.diagnose.seen.seen_call import CommittedPartition, SeenCall
from kafkasniff.protocol.api_keys import OFFSET_COMMIT

_MOST_PARTITIONS = 16
_MOST_COUNTED = 1_000
"""Commits of a second that are told apart."""
_LOOKED_AT = 4
"""Topics, and partitions of each, that are looked at in a commit."""


class Latest:
    """When a partition was last committed."""

    __slots__ = ("partition", "time", "topic")

    def __init__(self, topic: str | None, partition: int, time: int) -> None:
        """Begin with a commit (ns)."""
        self.topic = topic
        self.partition = partition
        self.time = time


class Commits(Tally):
    """The rate at which a member commits the same partitions again."""

    __slots__ = ("in_order", "latest", "rate")

    REBUILT = ("in_order",)

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.rate = Rate(SECOND, _MOST_COUNTED)
        self.latest: dict[tuple[str | None, int], Latest] = {}
        """By topic and number of a partition."""
        self.rebuild()

    def rebuild(self) -> None:
        """Begin without what is found out anew."""
        self.in_order: list[Latest] = []
        """Those of the last commit, in its order: the next one mostly names the same, and they are found sooner so."""

    def take(self, committed: list[CommittedPartition], now: int) -> bool:
        """Note when partitions are committed; tell whether one of them was within the last second."""
        again, second, topic_index, partitions, at = False, SECOND, -1, 0, 0
        in_order = self.in_order
        for each in committed:
            if each.topic_index != topic_index:
                topic_index, partitions = each.topic_index, 0
            partitions += 1
            if topic_index >= _LOOKED_AT or partitions > _LOOKED_AT:
                continue
            found = in_order[at] if at < len(in_order) else None
            if found is None or found.topic is not each.topic or found.partition != each.partition:
                key = (each.topic, each.partition)
                found = self.latest.get(key)
                if found is None:
                    found = self.latest[key] = Latest(each.topic, each.partition, now - second)
                # What stood there and behind it may be others from now on.
                del in_order[at:]
                in_order.append(found)
            at += 1
            again = again or now - found.time < second
            found.time = now
        while len(self.latest) > _MOST_PARTITIONS:
            del self.latest[next(iter(self.latest))]
            in_order.clear()
        return again


class CommitStorm(Rule[Commits]):
    """A member commits far too often."""

    id = "commit-storm"
    title = "Offsets are committed far too often"
    severity = "warning"
    scope = "group and member"
    state_type = Commits
    apis = frozenset({OFFSET_COMMIT})
    thresholds = (
        Threshold(
            "per_second",
            25,
            "commits/s",
            "of a partition that was committed within the last second; measured: healthy members stay below 10",
        ),
    )
    meaning = (
        "Every commit is a write to an internal topic with its replicas; one for each record costs more than the work."
    )
    wire = "Tens of OffsetCommit requests a second from one member."
    cause = "A commit after each record, or an interval of a few milliseconds ({auto.commit.interval.ms})."
    fix = "Commit once per poll or every few seconds ({auto.commit.interval.ms}), or once per batch."

    @cython.locals(seen=SeenCall, state=Commits)
    def call(self, seen: SeenCall) -> None:
        """Count commits within a second; those of ever other partitions, each once, are a member's or task's turn."""
        if not seen.group:
            return
        state = state_of(self, (seen.group, seen.client, seen.member or ""))
        if state.take(seen.committed, seen.sent):
            state.rate.add(seen.sent)
            assert seen.call.request is not None
            state.add(seen.call.request.last, "OffsetCommit", seen.call)
            for name in seen.names[:_LOOKED_AT]:
                state.topics.add(name)

    def finding(self, key: Any, state: Commits) -> Finding | None:
        """Fire where a second held too many."""
        group, client, member_id = key
        if state.rate.peak < self.limits["per_second"]:
            return None
        summary = (
            f"{client.name} committed offsets of group {group} for the same partitions again and again, up to "
            f"{state.rate.peak:,} times a second, {state.count:,} times in all."
        )
        subject = client_subject(client) | {
            "group": group,
            "memberId": member_id,
            "topic": state.topics.only,
        }
        return self.make(state, subject, summary)


COMMIT_RULES: tuple[type[Rule[Any]], ...] = (CommitStorm,)
