"""Rules about rights that clients lack."""

from typing import Any

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.diagnose.error_rule import ErrorKey, ErrorRule, ErrorTally
from kafkasniff.diagnose.groups.errors import group_of
from kafkasniff.diagnose.rule import Rule, Threshold, times_text
from kafkasniff.protocol.error_codes.numbers import (
    CLUSTER_AUTHORIZATION_FAILED,
    GROUP_AUTHORIZATION_FAILED,
    TOPIC_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)

_DENIED = (
    Threshold("calls", 1, "calls", "the same request cannot succeed until an ACL is added; Java stops at the first"),
    Threshold("again", 3, "calls", "fewer are an info: tools ask for what they may not have, and go on without"),
)
"""Of requests for which a right is missing."""


class AuthorizationDenied(ErrorRule):
    """A client lacks rights."""

    id = "authorization-denied"
    title = "The client lacks the rights for what it does"
    severity = "error"
    scope = "client"
    codes = frozenset({TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED, TRANSACTIONAL_ID_AUTHORIZATION_FAILED})
    thresholds = _DENIED
    meaning = "The principal has no ACL for a topic, for the cluster or for its transactional id, and keeps asking."
    wire = (
        "29 TOPIC_, 31 CLUSTER_ or 53 TRANSACTIONAL_ID_AUTHORIZATION_FAILED, again and again; an idempotent Java "
        "producer asks InitProducerId hundreds of times a second."
    )
    cause = (
        "An ACL is missing: IdempotentWrite (or Write) for producers, Read for consumers, Write on the "
        "transactional id."
    )
    fix = "Add the ACL (kafka-acls.sh --add --allow-principal …), or correct the client's principal or topic name."


class GroupAuthorizationDenied(ErrorRule):
    """A client may not use its group."""

    id = "group-authorization-denied"
    title = "The client may not use the consumer group"
    severity = "error"
    scope = "client and group"
    codes = frozenset({GROUP_AUTHORIZATION_FAILED})
    thresholds = _DENIED
    meaning = "The principal has no Read right on the group, so that the consumer never gets partitions."
    wire = "FindCoordinator, JoinGroup or OffsetFetch answered with 30 GROUP_AUTHORIZATION_FAILED, again and again."
    cause = "The ACL for the group is missing, or the client's group ({group.id}) is not the one that was granted."
    fix = (
        "Add it: kafka-acls.sh --add --allow-principal User:… --operation Read --group …; or correct the client's "
        "group ({group.id})."
    )

    def name_of(self, call: Call, error: FieldError) -> str | None:
        """Count each group apart."""
        return group_of(call, error)

    def more_subject(self, key: ErrorKey) -> dict[str, object]:
        """Name the group."""
        return {"group": key.name}

    def summary(self, key: ErrorKey, state: ErrorTally) -> str:
        """Name client and group."""
        return f"{key.client.name} was refused {times_text(state.count)} as it may not use group {key.name}."


RIGHTS_RULES: tuple[type[Rule[Any]], ...] = (AuthorizationDenied, GroupAuthorizationDenied)
