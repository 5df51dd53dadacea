"""A rule about partitions that a member of the new group protocol does not give up."""

from typing import Any

from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, counted, seconds_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import CONSUMER_GROUP_HEARTBEAT

_MOST_MEMBERS = 256
_MOST_PARTITIONS = 10_000

Partition = tuple[str, int]


class Holding:
    """What a member owns, and what it was last assigned."""

    __slots__ = ("asked", "assigned", "behind", "client", "longest", "owned", "unreleased")

    def __init__(self, client: Client) -> None:
        """Begin with nothing known."""
        self.client = client
        self.owned: frozenset[Partition] | None = None
        self.assigned: frozenset[Partition] | None = None
        self.asked: int | None = None
        """Since when it has been asked to give up partitions that it owns (ns); None while it is not."""
        self.behind: int | None = None
        """Since when it has stayed in an older epoch than the group's (ns); None while it has not."""
        self.longest = 0
        self.unreleased: frozenset[Partition] = frozenset()
        """What it held for the longest; empty where that was said before the capture."""


class Unreleased(Tally):
    """Members of a group."""

    __slots__ = ("epoch", "members", "waiting")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.epoch = 0
        """The latest that a member is in."""
        self.members: dict[str, Holding] = {}
        self.waiting: dict[str, Client] = {}
        """Members that had nothing while another one held what it should have given up."""


class PartitionsNotReleased(Rule[Unreleased]):
    """A member does not give up partitions that it is asked for."""

    id = "partitions-not-released"
    title = "A member does not give up partitions that others wait for"
    severity = "warning"
    scope = "group"
    looks_across_clients = True
    state_type = Unreleased
    apis = frozenset({CONSUMER_GROUP_HEARTBEAT})
    request_fields = frozenset({"groupId", "memberId", "memberEpoch", "topicPartitions", "topicId", "partitions"})
    response_fields = frozenset(
        {"errorCode", "memberId", "memberEpoch", "assignment", "topicPartitions", "topicId", "partitions"}
    )
    thresholds = (
        Threshold("seconds", 10, "s", "from the assignment on; a member answers it at its next poll"),
        Threshold("waiting", 1, "members", "that have nothing meanwhile"),
    )
    meaning = "The new member stands idle, and the partitions' records wait, until the old one polls again."
    wire = (
        "ConsumerGroupHeartbeat's answer assigns a member fewer partitions than it owns; its next heartbeats go on "
        "without saying that it gave them up (topicPartitions), and it stays in an older memberEpoch, while another "
        "member of a newer one is assigned none (KIP-848)."
    )
    cause = "The program processes for long between two polls: partitions are given up within poll() only."
    fix = (
        "Poll more often: take fewer records at once ({max.poll.records}), do slow work in other threads with the "
        "partitions paused ({consumer.pause()}); and bound how long it may take ({max.poll.interval.ms})."
    )

    def call(self, seen: SeenCall) -> None:
        """Compare what members own with what they are assigned."""
        request, response = seen.request, seen.response
        group = request.get("groupId")
        member_id = short_name(request.get("memberId") or response.get("memberId") or "")
        if not group or not member_id:
            return
        state = self.state(short_name(group))
        if request.get("memberEpoch", 0) < 0 or response.get("errorCode"):
            state.members.pop(member_id, None)
            return
        member = state.members.get(member_id)
        if member is None:
            member = state.members[member_id] = Holding(seen.client)
            if len(state.members) > _MOST_MEMBERS:
                del state.members[next(iter(state.members))]
        if request.get("topicPartitions") is not None:
            member.owned = _partitions(request["topicPartitions"])
        elif request.get("memberEpoch") == 0:
            member.owned = frozenset()
        assignment = response.get("assignment")
        if assignment is not None:
            member.assigned = _partitions(assignment.get("topicPartitions") or ())
        self._compare(state, member_id, member, seen)

    def _compare(self, state: Unreleased, member_id: str, member: Holding, seen: SeenCall) -> None:
        epoch = seen.response.get("memberEpoch", 0)
        state.epoch = max(state.epoch, epoch)
        # Before a member has given up what it is asked for it gets no newer epoch (KIP-848).
        member.behind = (member.behind or seen.ended) if epoch < state.epoch else None
        if member.owned is None or member.assigned is None:
            left, since = frozenset[Partition](), member.behind
        else:
            left = member.owned - member.assigned
            member.asked = (member.asked or seen.ended) if left else None
            since = member.asked
        if since is None:
            return
        held = seen.sent - since
        if held > member.longest:
            member.longest, member.unreleased = held, left
        idle = {
            name: other.client
            for name, other in state.members.items()
            if name != member_id and other.assigned is not None and not other.assigned
        }
        if held >= self.limits["seconds"] * SECOND and len(idle) >= self.limits["waiting"]:
            state.waiting |= idle
            what = f"{seen.client.name} still owns {_many(left)} after {seconds_text(held)}, in epoch {epoch}"
            state.add(seen.call.ended, what, seen.call)
            for topic, _ in sorted(left)[:16]:
                state.topics.add(self.facts.name_in({"topicId": topic}) or topic)

    def finding(self, key: Any, state: Unreleased) -> Finding | None:
        """Fire where partitions were held while somebody waited."""
        if not state.count:
            return None
        member_id, member = max(state.members.items(), key=lambda item: item[1].longest, default=(None, None))
        if member is None or not member.longest:
            return None
        waiting = sorted({client.name for client in state.waiting.values()})[:16]
        summary = (
            f"{member.client.name} did not give up {_many(member.unreleased)} in group {key} for "
            f"{seconds_text(member.longest)}, while {', '.join(waiting)} had none."
        )
        subject = client_subject(member.client, state.clients) | {
            "group": key,
            "memberId": member_id,
            "topic": state.topics.only or list(state.topics),
        }
        return self.make(state, subject, summary)


def _many(partitions: frozenset[Partition]) -> str:
    """Say how many they are, as far as it was seen."""
    return counted(len(partitions), "partition") if partitions else "partitions"


def _partitions(topics: Any) -> frozenset[Partition]:
    """Give the partitions of a list of topics, by topic id and number."""
    found = [(str(topic["topicId"]), index) for topic in topics for index in topic.get("partitions") or ()]
    return frozenset(found[:_MOST_PARTITIONS])


RELEASING_RULES: tuple[type[Rule[Any]], ...] = (PartitionsNotReleased,)
