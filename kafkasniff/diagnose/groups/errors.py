# cython: language_level=3, annotation_typing=False, boundscheck=True
"""Rules about consumer groups: what all groups' rules need, and errors that members get."""

from collections.abc import Hashable
from typing import Any

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.enrichment.long_names import short_name
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally, elements
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.rule import WITH_STATES, Threshold, counted, times_text
from kafkasniff.diagnose.seen.seen_call import SeenCall
from kafkasniff.protocol.api_keys import CONSUMER_GROUP_HEARTBEAT, JOIN_GROUP, OFFSET_COMMIT, TXN_OFFSET_COMMIT
from kafkasniff.protocol.error_codes.numbers import (
    FENCED_INSTANCE_ID,
    ILLEGAL_GENERATION,
    INCONSISTENT_GROUP_PROTOCOL,
    REBALANCE_IN_PROGRESS,
    STALE_MEMBER_EPOCH,
    UNKNOWN_MEMBER_ID,
    UNRELEASED_INSTANCE_ID,
)

_LOST = frozenset({ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID})
"""The member is no longer what it was."""
_RETRIED = frozenset({REBALANCE_IN_PROGRESS, STALE_MEMBER_EPOCH})
"""Clients try again when the rebalance is over."""


def group_of(call: Call, error: FieldError) -> str | None:
    """Give the group that an error is about."""
    name = _group_named(call, error)
    return short_name(name) if name is not None else None


def _group_named(call: Call, error: FieldError) -> str | None:
    request = request_of(call)
    if request.get("groupId"):
        return str(request["groupId"])
    for item in reversed(elements(response_of(call), error.path)):
        # FindCoordinator names groups `key`, OffsetFetch and DescribeGroups `groupId`.
        if item.get("groupId") or item.get("key"):
            return str(item.get("groupId") or item["key"])
    key = request.get("key")
    return str(key) if key else None


class GroupErrorRule(ErrorRule):
    """Counts each group of a client apart."""

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Give the group."""
        return group_of(call, error)

    def was_member(self, call: Call) -> bool:
        """Tell whether the client joined a group on the connection of a call."""
        history = self.facts.history(call)
        return history.used(JOIN_GROUP) or history.used(CONSUMER_GROUP_HEARTBEAT)

    def more_subject(self, key: ErrorKey) -> dict[str, Any]:
        """Name the group."""
        return {"group": key.name}


class InconsistentGroupProtocol(GroupErrorRule):
    """A member's assignors are not those of its group."""

    id = "inconsistent-group-protocol"
    title = "A member has no assignor in common with its group"
    severity = "error"
    scope = "client and group"
    codes = frozenset({INCONSISTENT_GROUP_PROTOCOL})
    thresholds = (Threshold("calls", 3, "joins", "a rolling change of assignors brings one or two"),)
    meaning = "The member can never join: the group's members must share an assignor and the protocol type."
    wire = "JoinGroup answered with 23 INCONSISTENT_GROUP_PROTOCOL, again and again."
    cause = (
        "The members' assignors differ ({partition.assignment.strategy}), or two kinds of programs use one group "
        "({group.id})."
    )
    fix = (
        "Give all members a common assignor ({partition.assignment.strategy}); change it in two rolling steps "
        "(both, then the new one alone). Give different programs different groups ({group.id})."
    )

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name member and group."""
        return (
            f"{key.client.name} could not join group {key.name} {state.count:,} times: no assignor in common with "
            f"its members."
        )


class Refused(ErrorTally):
    """Commits that were refused for good, and in a row for as long as the rebalance lasts."""

    __slots__ = ("lost", "most_retried", "retried")

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.lost = 0
        self.retried = 0
        self.most_retried = 0


class CommitAfterRebalance(GroupErrorRule):
    """A member commits offsets of partitions that are no longer its own."""

    id = "commit-after-rebalance"
    title = "Offsets are committed after the group moved on"
    severity = "error"
    scope = "client and group"
    state_type = Refused
    codes = _LOST | _RETRIED
    apis = frozenset({OFFSET_COMMIT, TXN_OFFSET_COMMIT})
    only = dict.fromkeys(apis, WITH_STATES)
    thresholds = (
        Threshold("calls", 1, "commits", "each refused commit means records that are processed twice"),
        Threshold(
            "retried", 2, "commits", "refused with 27 or 113 and not followed by one that is taken, as with a retry"
        ),
    )
    meaning = "The commit is refused, and the records since the last one will be processed again by another member."
    wire = (
        "OffsetCommit (or TxnOffsetCommit) answered with 22 ILLEGAL_GENERATION or 25 UNKNOWN_MEMBER_ID; or with "
        "27 REBALANCE_IN_PROGRESS or 113 STALE_MEMBER_EPOCH, and not tried again with success."
    )
    cause = "The member was thrown out or missed a rebalance while it processed, and commits with its old generation."
    fix = (
        "Commit when partitions are taken away ({onPartitionsRevoked()}), poll more often ({max.poll.records}; "
        "{max.poll.interval.ms}), and do not retry commits that were refused so."
    )

    def call(self, seen: SeenCall) -> None:
        """Forget refusals that a rebalance brings, once a commit is taken."""
        state = self.states.get(ErrorKey(seen.client, seen.group))
        if isinstance(state, Refused) and seen.call.response is not None and not seen.failed:
            state.retried = 0

    def count(self, key: Hashable, call: Call, error: FieldError) -> None:
        """Count one call."""
        super().count(key, call, error)
        state = self.state(key)
        assert isinstance(state, Refused)
        if error.code in _LOST:
            state.lost += 1
        else:
            state.retried += 1
            state.most_retried = max(state.most_retried, state.retried)

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire from the thresholds on."""
        assert isinstance(state, Refused)
        lost = state.lost >= self.limits["calls"]
        return super().finding(key, state) if lost or state.most_retried >= self.limits["retried"] else None

    def wanted(self, call: Call) -> bool:
        """Look at members' commits; admin tools commit without a member id, as members do that lost theirs."""
        if call.api_key not in (OFFSET_COMMIT, TXN_OFFSET_COMMIT):
            return False
        return bool(request_of(call).get("memberId")) or self.was_member(call)

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name member and group."""
        names = ", ".join(state.codes)
        return f"{counted(state.count, 'offset commit')} of {key.client.name} in group {key.name} refused ({names})."


class StaticMemberFenced(ErrorRule):
    """Two programs run with the same group.instance.id."""

    id = "static-member-fenced"
    title = "Two members share one group.instance.id"
    severity = "error"
    scope = "group and instance"
    looks_across_clients = True
    codes = frozenset({FENCED_INSTANCE_ID, UNRELEASED_INSTANCE_ID})
    thresholds = (Threshold("calls", 1, "calls", "KIP-345: fencing is fatal to the member"),)
    meaning = "Each start of one member throws the other out, and it stops with a fatal error."
    wire = "Heartbeat, SyncGroup, JoinGroup or OffsetCommit answered with 82 FENCED_INSTANCE_ID, or 111 (KIP-848)."
    cause = (
        "The instance id ({group.instance.id}) is the same in two running programs (KIP-345), for example in a "
        "deployment's template."
    )
    fix = (
        "Give each program an instance id of its own ({group.instance.id}), such as the pod's ordinal, and stop "
        "the old before the new starts."
    )

    def errors(self, call: Call, errors: list[FieldError]) -> None:
        """Count for the instance, whoever was fenced."""
        request = request_of(call)
        group, instance = request.get("groupId"), request.get("groupInstanceId") or request.get("instanceId")
        self.count((group and short_name(group), instance and short_name(instance)), call, errors[0])

    def finding(self, key: Any, state: ErrorTally) -> Finding | None:
        """Fire from the threshold on."""
        if state.count < self.limits[self.least]:
            return None
        group, instance = key
        names = list(state.client_ids)
        summary = (
            f"Members of group {group} with group.instance.id {instance} fenced each other {times_text(state.count)} "
            f"(fenced: {', '.join(names) or 'unknown'})."
        )
        subject = {
            "group": group,
            "groupInstanceId": instance,
            "clientId": names[0] if len(names) == 1 else names,
            "client": state.clients.only,
        }
        return self.make(state, subject, summary)


GROUP_ERROR_RULES = (InconsistentGroupProtocol, StaticMemberFenced, CommitAfterRebalance)
