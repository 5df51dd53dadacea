# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about clients that do not get into their group, or that act on it from outside."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorTally
from kafkasniff.diagnose.facts.clients import Client, client_of
from kafkasniff.diagnose.facts.whole_bodies import request_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.groups.errors import GroupErrorRule, group_of
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.rates import SECOND
from kafkasniff.diagnose.memory.tallies import Names, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, counted, seconds_text, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import (
    API_VERSIONS,
    CONSUMER_GROUP_HEARTBEAT,
    FIND_COORDINATOR,
    GET_TELEMETRY_SUBSCRIPTIONS,
    METADATA,
    OFFSET_COMMIT,
    PUSH_TELEMETRY,
    SASL_AUTHENTICATE,
    SASL_HANDSHAKE,
)
from kafkasniff.protocol.error_codes.numbers import (
    COORDINATOR_NOT_AVAILABLE,
    ILLEGAL_GENERATION,
    UNKNOWN_MEMBER_ID,
    UNSUPPORTED_VERSION,
)

_TRANSACTION, _SHARE = 1, 2
_GROUP = "group"
_KINDS = {_TRANSACTION: "transactional id", _SHARE: "share group"}
"""What a coordinator is of, by FindCoordinator's key type (FindCoordinatorRequest.CoordinatorType)."""

_TELEMETRY = frozenset({GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY})
_ON_THE_WAY = frozenset({API_VERSIONS, METADATA, FIND_COORDINATOR, SASL_HANDSHAKE, SASL_AUTHENTICATE}) | _TELEMETRY
"""APIs that a consumer uses before it joins."""


class CommitFromOutside(GroupErrorRule):
    """A client that is no member commits into a group that has members."""

    id = "commit-from-outside"
    title = "Offsets are committed into a group by a client that is no member of it"
    severity = "error"
    scope = "client and group"
    codes = frozenset({ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID})
    thresholds = (Threshold("calls", 3, "commits", "no commit of such a client can succeed while the group runs"),)
    meaning = "The offsets are not stored, so that the client reads the same records again when it starts anew."
    wire = (
        "OffsetCommit without member id and generation, answered with 25 UNKNOWN_MEMBER_ID (or 22), as the group has "
        "members."
    )
    cause = "A program uses assign() with the group.id of a running group of subscribers: a replay, a tool, a copy."
    fix = "Give the program a group of its own ({group.id}); or stop the group's members before its offsets are set."

    def wanted(self, call: Call) -> bool:
        """Look at commits without a member id, but for those of members that lost theirs."""
        return call.api_key == OFFSET_COMMIT and not request_of(call).get("memberId") and not self.was_member(call)

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name client and group."""
        topics = f" (topic {', '.join(state.topics)})" if len(state.topics) else ""
        return (
            f"{counted(state.count, 'offset commit')} of {key.client.name}{topics} refused: it is no member of group "
            f"{key.name}, which has members."
        )


class CoordinatorUnavailable(GroupErrorRule):
    """There is no coordinator for a group or a transactional id."""

    id = "coordinator-unavailable"
    title = "There is no coordinator"
    severity = "error"
    scope = "client and group or transactional id"
    codes = frozenset({COORDINATOR_NOT_AVAILABLE})
    thresholds = (
        Threshold("calls", 3, "calls", "some clients wait for five seconds before they ask again"),
        Threshold(
            "seconds", 7, "s", "from the first to the last; kafkajs gives up then, and making the topic takes less"
        ),
    )
    meaning = "Without a coordinator consumers get no partitions, and producers begin no transaction."
    wire = "FindCoordinator answered with 15 COORDINATOR_NOT_AVAILABLE for seven seconds and longer."
    cause = (
        "The internal topic (__consumer_offsets, __transaction_state; of share groups __share_group_state, KIP-932) "
        "cannot be made, as there are fewer brokers than its replication factor; or its partition has no leader, as "
        "the brokers with its replicas are down."
    )
    fix = (
        "Bring the missing brokers back. On small clusters set offsets.topic.replication.factor, "
        "transaction.state.log.replication.factor and share.coordinator.state.topic.replication.factor (default 3), "
        "and transaction.state.log.min.isr and share.coordinator.state.topic.min.isr (default 2) to 1."
    )

    def wanted(self, call: Call) -> bool:
        """Look at who looks for a coordinator."""
        return call.api_key == FIND_COORDINATOR

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire where it lasts."""
        return super().finding(key, state) if state.span_ns >= self.limits["seconds"] * SECOND else None

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Give what the coordinator would be of, with its kind: for a partition of a share group, the group.

        Its key is `group:topic id:partition` (SharePartitionKey).
        """
        name = group_of(call, error)
        if name is None:
            return None
        key_type = request_of(call).get("keyType", 0)
        return f"{_KINDS.get(key_type, _GROUP)} {name.rsplit(':', 2)[0] if key_type == _SHARE else name}"

    def more_subject(self, key: ErrorKey) -> dict[str, Any]:
        """Name the group or the transactional id."""
        name = key.name or ""
        kind = next((kind for kind in (_GROUP, *_KINDS.values()) if name.startswith(f"{kind} ")), _GROUP)
        return {"transactionalId" if kind == _KINDS[_TRANSACTION] else "group": name.removeprefix(f"{kind} ")}

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name client and group."""
        return (
            f"{key.client.name} was told {times_text(state.count)} within {seconds_text(state.span_ns)} that there is "
            f"no coordinator for {key.name or 'a group'}."
        )


class GroupKey(NamedTuple):
    """A client that looks for a group's coordinator."""

    client: Client
    group: str


class Lookups(Tally):
    """How often the coordinator was found, on which connections."""

    __slots__ = ("refused", "servers", "software")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.servers = Names()
        self.software: str | None = None
        self.refused = 0
        """Heartbeats of the new protocol that a broker answered as one that does not have it."""


class GroupProtocolUnsupported(Rule[Lookups]):
    """A consumer of the new group protocol and a broker without it."""

    id = "group-protocol-unsupported"
    title = "The consumer finds its coordinator and never joins: the broker lacks the new group protocol"
    severity = "error"
    scope = "client and group"
    state_type = Lookups
    apis = frozenset({FIND_COORDINATOR, CONSUMER_GROUP_HEARTBEAT})
    request_fields = frozenset({"keyType", "key", "coordinatorKeys", "groupId"})
    response_fields = frozenset({"errorCode", "coordinators"})
    thresholds = (
        Threshold("connections", 2, "connections", "on which it looked, so that it began anew or asked another broker"),
        Threshold("calls", 3, "calls", "and so many look-ups in all: one is enough for a consumer that then joins"),
    )
    meaning = "The consumer subscribes, is told where its coordinator is, and then waits without end; nothing is read."
    wire = (
        "FindCoordinator for a group is answered, and then neither JoinGroup nor ConsumerGroupHeartbeat comes, nor "
        "anything else, while the broker's ApiVersions has no ConsumerGroupHeartbeat; or it has, and answers it with "
        "35 UNSUPPORTED_VERSION."
    )
    cause = (
        "The consumer is set to the new protocol ({group.protocol}, KIP-848) with brokers older than 4.0 (3.7 had "
        "it as early access), or with brokers on which it is switched off (group.coordinator.rebalance.protocols, "
        "group.version)."
    )
    fix = (
        "Use the classic protocol ({group.protocol}) until the brokers are 4.0 or later, and have group.version=1 "
        "(kafka-features.sh)."
    )

    def __init__(self, *arguments: Any) -> None:
        """Begin with nobody working."""
        super().__init__(*arguments)
        self._works: Bounded[bool] = Bounded()
        """Clients that did anything else."""
        self._looked: Bounded[int] = Bounded()
        """By client, on how many connections it looked for a coordinator."""

    def uses(self, seen: SeenCall) -> None:
        """Note who does more than look for a coordinator."""
        if seen.key not in _ON_THE_WAY:
            self._works.put(seen.client, True)
        elif seen.key == FIND_COORDINATOR:
            self._looked.put(seen.client, (self._looked.get(seen.client) or 0) + 1)

    def unanswered(self, call: Call) -> None:
        """Note a request that the broker may not have known, of which unsupported-version tells."""
        if call.api_key not in _ON_THE_WAY:
            self._works.put(client_of(call), True)

    def call(self, seen: SeenCall) -> None:
        """Count look-ups that found a coordinator on a broker without the new protocol, and heartbeats refused."""
        request, response = seen.request, seen.response
        if seen.key == CONSUMER_GROUP_HEARTBEAT:
            if response.get("errorCode") == UNSUPPORTED_VERSION and request.get("groupId"):
                state = self.state(GroupKey(seen.client, short_name(request["groupId"])))
                state.servers.add(seen.call.server)
                state.refused += 1
                state.add(seen.call.ended, "ConsumerGroupHeartbeat refused", seen.call)
            return
        if self._works.get(seen.client) is not None or not response:
            return
        if request.get("keyType", 0) != 0 or response.get("errorCode"):
            return
        keys = request.get("coordinatorKeys") or [request.get("key")]
        if len(keys) != 1 or not keys[0] or any(item.get("errorCode") for item in response.get("coordinators", ())):
            return
        if self.facts.supports(seen.call.server, CONSUMER_GROUP_HEARTBEAT, 0) is not False:
            return
        state = self.state(GroupKey(seen.client, short_name(keys[0])))
        state.servers.add(seen.call.server)
        if seen.call.software_name:
            state.software = f"{seen.call.software_name} {seen.call.software_version}"
        state.add(seen.call.ended, "FindCoordinator answered", seen.call)

    def finding(self, key: Any, state: Lookups) -> Finding | None:
        """Fire where nothing else came."""
        assert isinstance(key, GroupKey)
        if state.refused:
            summary = (
                f"{key.client.name} cannot join group {key.group}: {', '.join(state.servers)} refuses "
                f"ConsumerGroupHeartbeat (UNSUPPORTED_VERSION, {times_text(state.refused)})."
            )
            return self.make(state, client_subject(key.client, state.clients) | {"group": key.group}, summary)
        if self._works.get(key.client) or len(state.clients) < self.limits["connections"]:
            return None
        if state.count < self.limits["calls"] or not self._follows(key.client):
            return None
        software = f" ({state.software})" if state.software else ""
        summary = (
            f"{key.client.name}{software} found the coordinator of group {key.group} {times_text(state.count)} within "
            f"{seconds_text(state.span_ns)} and never joined; {', '.join(state.servers)} has no ConsumerGroupHeartbeat."
        )
        return self.make(state, client_subject(key.client, state.clients) | {"group": key.group}, summary)

    def _follows(self, client: Client) -> bool:
        """Tell whether a client connects to the coordinator as well: one that cannot reach it only looks it up."""
        profiles = self.facts.profiles.known([client.client_id], [client.host]) if client.client_id else []
        looked = self._looked.get(client) or 0
        return not profiles or sum(profile.connections for profile in profiles) > looked


OUTSIDE_RULES: tuple[type[Rule[Any]], ...] = (CommitFromOutside, CoordinatorUnavailable, GroupProtocolUnsupported)
