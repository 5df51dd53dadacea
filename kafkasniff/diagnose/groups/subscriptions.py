"""Rules about what members of a group subscribe to, and what they are assigned."""

from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import MOST_NAMES, Names, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, counted, seconds_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import CONSUMER_GROUP_HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP
from kafkasniff.tcp.events import Connection

_MOST_MEMBERS = 256
"""Members of a group that are told apart."""
_SUBSCRIPTION, _ASSIGNMENT = "ConsumerProtocolSubscription", "ConsumerProtocolAssignment"


def _opened(call: Call, where: str, kind: str) -> list[dict[str, Any]]:
    """Give the messages of a kind inside a side of a call."""
    return [item["value"] for item in call.decoded if item["where"] == where and item["type"] == kind]


def _partitions(assigned: list[dict[str, Any]] | None) -> int:
    """Count the partitions of topics: kafka-python names topics of which a member has none."""
    return sum(len(topic["partitions"] or ()) for topic in assigned or ())


class Subscriptions(Tally):
    """What the clients of a group subscribe to."""

    __slots__ = ("conflict", "generations", "topics_of")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.topics_of: dict[Client, tuple[frozenset[str], int]] = {}
        """By client, with the generation in which it was last seen to."""
        self.generations = Names()
        self.conflict: tuple[Client, Client] | None = None


class MixedSubscriptions(Rule[Subscriptions]):
    """Two programs share a group id."""

    id = "mixed-subscriptions"
    title = "Programs with different topics share one group id"
    severity = "warning"
    scope = "group"
    looks_across_clients = True
    state_type = Subscriptions
    apis = frozenset({JOIN_GROUP, CONSUMER_GROUP_HEARTBEAT})
    request_fields = frozenset({"groupId", "subscribedTopicNames", "subscribedTopicRegex", "protocolType"})
    response_fields = frozenset({"errorCode", "generationId", "memberEpoch"})
    thresholds = (
        Threshold("members", 1, "generations", "with members that have no topic in common, under two client ids"),
        Threshold("rebalances", 2, "generations", "seen; each start or crash of the one program stops the other"),
    )
    meaning = (
        "The group rebalances for both programs whenever one of them starts, stops or crashes, and the offsets of both "
        "lie in one group, so that a reset of the one hits the other."
    )
    wire = "Members with different client ids join one generation with subscriptions that have no topic in common."
    cause = "The same group was set in two programs ({group.id}), as by a common configuration."
    fix = "Give each program a group of its own ({group.id})."

    def call(self, seen: SeenCall) -> None:
        """Note what a member subscribes to, and compare it with the others of its generation."""
        request, response = seen.request, seen.response
        group = request.get("groupId")
        if not group or not response or response.get("errorCode"):
            return
        topics = self._topics(seen)
        if not topics:
            return
        generation: int = response["generationId"] if "generationId" in response else response.get("memberEpoch", -1)
        state = self.state(short_name(group))
        state.generations.add(generation)
        for other, (its, in_generation) in state.topics_of.items():
            together = generation == in_generation or seen.key == CONSUMER_GROUP_HEARTBEAT
            if together and other.client_id != seen.client.client_id and not its & topics:
                state.conflict = other, seen.client
                what = f"{seen.client.name} subscribes to {_listed(topics)}, {other.name} to {_listed(its)}"
                state.add(seen.call.ended, what, seen.call)
                for topic in sorted(topics | its):
                    state.topics.add(topic)
                break
        state.topics_of[seen.client] = topics, generation
        if len(state.topics_of) > _MOST_MEMBERS:
            del state.topics_of[next(iter(state.topics_of))]

    def _topics(self, seen: SeenCall) -> frozenset[str]:
        if seen.key == CONSUMER_GROUP_HEARTBEAT:
            return frozenset(map(short_name, seen.request.get("subscribedTopicNames") or ()))
        if seen.request.get("protocolType") != "consumer":
            return frozenset()
        found = _opened(seen.call, "request", _SUBSCRIPTION)
        return frozenset(short_name(topic) for topic in (found[0]["topics"] if found and found[0] else ()) or ())

    def finding(self, key: Any, state: Subscriptions) -> Finding | None:
        """Fire from the thresholds on."""
        if state.count < self.limits["members"] or len(state.generations) < self.limits["rebalances"]:
            return None
        assert state.conflict is not None
        names = [client.name for client in state.conflict]
        summary = (
            f"Members of group {key} have no topic in common: {state.evidence[0].what}; "
            f"{counted(len(state.generations), 'generation')} seen."
        )
        return self.make(state, {"group": key, "clientId": names, "topic": list(state.topics)}, summary)


def _listed(topics: frozenset[str]) -> str:
    names = sorted(topics)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class Idleness:
    """Since when a member has had no partitions."""

    __slots__ = ("before", "client", "connection", "since")

    def __init__(self, client: Client, connection: Connection) -> None:
        """Begin with nothing known."""
        self.client = client
        self.connection = connection
        """On which it was assigned something last, and sends its heartbeats."""
        self.since: int | None = None
        """None while it has partitions, or while that is not known (ns)."""
        self.before = 0
        """For how long it had nothing before it left, or got the partitions of one that left (ns)."""

    @property
    def idle_ns(self) -> int:
        """Give for how long it had nothing, as far as its connection was in use."""
        now = self.connection.last.time - self.since if self.since is not None else 0
        return max(now, self.before)

    def end(self, now: int) -> None:
        """Take in that it leaves, or gets the partitions of one that left, at `now` (ns)."""
        if self.since is not None:
            self.before, self.since = max(self.before, now - self.since), None


class Members(Tally):
    """The members of a group."""

    __slots__ = ("idled", "left", "members", "most")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.members: dict[str, Idleness] = {}
        self.most = 0
        """The most members at once."""
        self.idled: dict[str, Idleness] = {}
        """Those that left, and had nothing for long before."""
        self.left = 0
        """When a member left last (ns)."""


class IdleMembers(Rule[Members]):
    """Members without partitions."""

    id = "idle-members"
    title = "Members of a group have no partitions"
    severity = "info"
    scope = "group"
    looks_across_clients = True
    state_type = Members
    apis = frozenset({SYNC_GROUP, LEAVE_GROUP, CONSUMER_GROUP_HEARTBEAT})
    request_fields = frozenset({"groupId", "memberId", "members", "memberEpoch"})
    response_fields = frozenset({"errorCode", "memberId", "memberEpoch", "assignment", "topicPartitions", "partitions"})
    thresholds = (Threshold("seconds", 10, "s", "for which a member has nothing; a rebalance is over sooner"),)
    meaning = "The members have nothing to read, and stand by until another one leaves."
    wire = "SyncGroup (or ConsumerGroupHeartbeat) assigns nothing to a member, which goes on with heartbeats."
    cause = "The group has more members than its topics have partitions."
    fix = "Run no more members than partitions; or add partitions, where the order of keys allows that."

    def call(self, seen: SeenCall) -> None:
        """Note what members are assigned, and that they live."""
        request, response = seen.request, seen.response
        group, member_id = request.get("groupId"), request.get("memberId")
        if not group:
            return
        if seen.key == LEAVE_GROUP or request.get("memberEpoch", 0) < 0:
            state = self.states.get(short_name(group))
            for member in request.get("members") or (request,):
                if state is not None:
                    self._leaves(state, short_name(member.get("memberId") or ""), seen.ended)
                    state.left = seen.ended
            return
        if not response or response.get("errorCode"):
            return
        state = self.state(short_name(group))
        name = short_name(member_id or response.get("memberId") or "")
        known = state.members.get(name)
        if known is None:
            known = state.members[name] = Idleness(seen.client, seen.call.connection)
            if len(state.members) > _MOST_MEMBERS:
                del state.members[next(iter(state.members))]
            state.most = max(state.most, len(state.members))
        known.connection = seen.call.connection
        count = self._assigned(seen)
        if count == 0:
            known.since = known.since or seen.ended
            state.add(seen.call.ended, f"{seen.client.name} is assigned nothing", seen.call)
        elif count is not None and known.since is not None and state.left > known.since:
            known.end(seen.ended)
        elif count is not None:
            known.since = None  # It waited for a member to release some.

    def _leaves(self, state: Members, name: str, now: int) -> None:
        member = state.members.pop(name, None)
        if member is None:
            return
        member.end(now)
        if member.before >= self.limits["seconds"] * SECOND and len(state.idled) < _MOST_MEMBERS:
            state.idled[name] = member

    def _assigned(self, seen: SeenCall) -> int | None:
        """Give how many partitions a member is assigned; None where that is not said."""
        if seen.key == SYNC_GROUP:
            if not seen.response.get("assignment", True):
                return 0  # The leader left the member out, as kafkajs does where there is nothing for it.
            found = _opened(seen.call, "response", _ASSIGNMENT)
            return _partitions(found[0]["assignedPartitions"]) if found else None
        if seen.key == CONSUMER_GROUP_HEARTBEAT:
            assignment = seen.response.get("assignment")
            return None if assignment is None else _partitions(assignment.get("topicPartitions"))
        return None

    def finding(self, key: Any, state: Members) -> Finding | None:
        """Fire where members were without partitions for long enough, as far as they were seen."""
        least = self.limits["seconds"] * SECOND
        idle = state.idled | {name: member for name, member in state.members.items() if member.idle_ns >= least}
        if not idle or state.first is None:
            return None
        longest = max(member.idle_ns for member in idle.values())
        names = sorted({member.client.name for member in idle.values()})[:MOST_NAMES]
        members = counted(max(state.most, len(idle)), "member")
        summary = (
            f"{len(idle)} of {members} of group {key} had no partitions for up to "
            f"{seconds_text(longest)}: {', '.join(names)}."
        )
        subject = {"group": key, "clientId": names if len(names) > 1 else names[0]}
        if len(idle) == 1:
            subject["memberId"] = next(iter(idle))
        found = self.make(state, subject, summary, count=len(idle))
        found.last_time = max(found.last_time, found.first_time + longest)
        return found


SUBSCRIPTION_RULES: tuple[type[Rule[Any]], ...] = (MixedSubscriptions, IdleMembers)
