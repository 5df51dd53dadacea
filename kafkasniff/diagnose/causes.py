"""What explains what: from roots to symptoms, in one place.

A finding that another explains stands under it (`joining`): a cause is said once. Each line names causes, what they
bring about and why; all of the former may explain all of the latter. The whole must hold no circle.
"""

from typing import NamedTuple


class Explanation(NamedTuple):
    """Rules whose findings explain those of others."""

    causes: tuple[str, ...]
    effects: tuple[str, ...]
    why: str
    by: tuple[str, ...] = ()
    """What both must have in common, where that is another than what is strongest (`joining.LINKS`)."""


_NO_ENTRY = (
    *("auth-failure-loop", "unsupported-sasl-mechanism", "request-before-sasl", "unsupported-version"),
    *("plaintext-to-tls-port", "tls-to-plaintext-port", "tls-handshake-failure"),
)
"""The client never gets to its work."""
_CUT_OFF = ("connection-closed-by-server", "reauthentication-missing", "connection-forgotten", "path-mtu")
"""It does, and loses its connections again and again."""
_THROWN_OUT = ("poll-timeout-eviction", "session-timeout", "static-member-fenced", "partitions-not-released")
"""A member loses its place in the group."""

EXPLANATIONS = (
    Explanation(
        ("path-mtu", "connection-forgotten"),
        ("tcp-retransmissions",),
        "what never arrives is sent again and again",
    ),
    Explanation(
        (*_CUT_OFF, "tcp-retransmissions", "tcp-zero-window"),
        ("response-timeout",),
        "what does not arrive is not answered: segments that are never acknowledged, windows that stay closed",
    ),
    Explanation(
        ("throttled",),
        ("tcp-zero-window", "slow-acknowledgement"),
        "a broker reads nothing of those over their quota until their time is over (KIP-219)",
    ),
    Explanation(("path-mtu",), ("connection-forgotten",), "a connection that only small segments pass seems forgotten"),
    Explanation(
        (*_NO_ENTRY, "mismatched-correlation", "throttled", "slow-acknowledgement", "coordinator-flapping"),
        ("response-timeout",),
        "the broker leaves unanswered what it refuses, mutes those over their quota, and waits for its followers",
    ),
    Explanation(
        (*_NO_ENTRY, *_CUT_OFF, "mismatched-correlation", "response-timeout", "request-abandoned"),
        ("connection-churn",),
        "a client that is refused or cut off connects anew",
    ),
    Explanation(
        ("connection-closed-by-server",),
        ("connection-churn",),
        "all programs of a host that has too many connections connect anew",
        ("client",),
    ),
    Explanation(("unexplained-error",), ("connection-churn",), "a program that fails for good starts over"),
    Explanation(
        ("advertised-listener-unreachable",), ("connection-churn",), "who cannot follow the metadata begins anew"
    ),
    Explanation(
        ("too-many-connections", "restart-at-same-offset"),
        ("connection-churn",),
        "a client for each record, or a program that dies at each start, makes connections that hardly live",
    ),
    Explanation(
        ("connection-churn",),
        ("serial-sync-send", "tiny-batches", "default-client-id", "metadata-storm"),
        "each new client asks for metadata and sends what little it has",
    ),
    Explanation(
        ("reauthentication-missing", "connection-closed-by-server"),
        ("idle-close-race",),
        "requests meet connections that the server has just closed",
    ),
    Explanation(
        ("reauthentication-missing",), ("connection-closed-by-server",), "the server closes when the session is over"
    ),
    Explanation(
        ("tls-handshake-failure", "connection-forgotten", "advertised-listener-unreachable", "coordinator-flapping"),
        ("dead-broker-connect-loop",),
        "who cannot get in, or is led astray, tries one address over and over",
    ),
    Explanation(("tls-handshake-failure",), ("tls-to-plaintext-port",), "a handshake that ends early has no answer"),
    Explanation(
        ("unsupported-sasl-mechanism",), ("auth-failure-loop",), "without a common mechanism no login succeeds"
    ),
    Explanation(
        ("dead-broker-connect-loop",),
        ("partition-offline", "not-enough-replicas", "coordinator-unavailable"),
        "the broker that is down holds the replicas",
        ("brokerId",),
    ),
    Explanation(
        ("dead-broker-connect-loop", "advertised-listener-unreachable", "coordinator-unavailable", "admin-polling"),
        ("metadata-storm",),
        "who finds nobody asks for metadata",
    ),
    Explanation(
        ("invalid-topic", "unknown-topic-loop", "partition-offline", "group-protocol-unsupported"),
        ("metadata-storm",),
        "a client asks again until the topic is there, its leader is, or the group can be joined",
    ),
    Explanation(
        ("partition-offline",),
        ("not-leader-loop", "unknown-topic-loop", "unexplained-error", "response-timeout"),
        "a partition without leader can be neither written nor read",
    ),
    Explanation(
        ("partition-offline",),
        ("not-leader-loop", "unknown-topic-loop", "hanging-transaction", "concurrent-transactions-spin"),
        "nor can its transactions end, whoever writes to it",
        ("topic",),
    ),
    Explanation(
        ("cluster-id-changed",),
        ("unknown-topic-loop", "offset-out-of-range", "commit-after-rebalance", "session-timeout", "unexplained-error"),
        "the other cluster has other topics, groups and offsets",
    ),
    Explanation(
        ("unknown-topic-loop",), ("commit-storm",), "a commit for a topic that was deleted is tried again", ("topic",)
    ),
    Explanation(("invalid-topic",), ("unknown-topic-loop",), "a name that is not allowed is no topic's"),
    Explanation(
        ("load-balancer-in-front",),
        ("not-leader-loop", "coordinator-flapping", "metadata-storm", "unexplained-error", "rebalance-storm"),
        "each connection reaches another broker than meant",
    ),
    Explanation(
        ("load-balancer-in-front",), ("not-leader-loop",), "the partition's leader is another broker", ("topic",)
    ),
    Explanation(
        ("coordinator-unavailable",),
        ("unexplained-error", "unknown-topic-loop"),
        "nothing of the group or transaction can be asked, and its internal topic may not be there",
    ),
    Explanation(
        _THROWN_OUT,
        ("rebalance-storm", "rebalance-stuck"),
        "whoever is thrown out makes the group rebalance, and rejoins",
    ),
    Explanation(
        (*_THROWN_OUT, "commit-from-outside"),
        ("commit-after-rebalance",),
        "who is no member, or no longer, may not commit",
    ),
    Explanation(
        ("poll-timeout-eviction", "static-member-fenced", "restart-at-same-offset"),
        ("session-timeout",),
        "a member that left, was fenced or died is missed",
    ),
    Explanation(
        ("partitions-not-released",),
        ("poll-timeout-eviction", "idle-members"),
        "a member that does not let go leaves others empty, and comes late itself",
    ),
    Explanation(
        ("restart-at-same-offset",),
        ("rebalance-storm", "rebalance-stuck", "idle-members"),
        "each start and each death makes the group rebalance",
    ),
    Explanation(("request-abandoned",), ("response-timeout", "rebalance-storm"), "who gives up too soon joins anew"),
    Explanation(("rebalance-stuck",), ("response-timeout",), "a join waits for the slowest member", by=("group",)),
    Explanation(
        ("group-protocol-unsupported",), ("unexplained-error",), "the heartbeats that are refused", by=("group",)
    ),
    Explanation(
        ("coordinator-flapping",), ("rebalance-stuck",), "a group stands still until its new coordinator has loaded it"
    ),
    Explanation(
        ("mixed-subscriptions",),
        ("rebalance-storm", "inconsistent-group-protocol"),
        "two programs in one group disturb each other",
    ),
    Explanation(("group-protocol-unsupported",), ("unsupported-version",), "the broker does not know the protocol"),
    Explanation(("serial-sync-send", "slow-acknowledgement"), ("tiny-batches",), "who waits for each record sends one"),
    Explanation(
        ("not-enough-replicas",),
        ("slow-acknowledgement", "response-timeout"),
        "the leader waits for the replica that is missing, until it leaves the ISR",
        ("topic",),
    ),
    Explanation(("slow-acknowledgement",), ("serial-sync-send",), "all producers wait for the slow follower"),
    Explanation(("record-list-too-large",), ("message-too-large",), "the same batches are refused by another limit"),
    Explanation(("duplicate-sequence",), ("out-of-order-sequence",), "what is repeated late does not follow the last"),
    Explanation(
        ("transaction-timed-out",),
        ("producer-fenced", "unexplained-error", "concurrent-transactions-spin", "hanging-transaction"),
        "the coordinator fences the producer and writes its abort markers",
    ),
    Explanation(("producer-fenced",), ("concurrent-transactions-spin",), "the other's transaction must end first"),
    Explanation(("fetch-session-churn",), ("fetch-busy-loop",), "fetches without a session do not wait"),
    Explanation(
        ("unreadable-compression",),
        ("consumer-lag-grows", "restart-at-same-offset", "rebalance-storm"),
        "what cannot be read stays behind, however often the program starts",
    ),
    Explanation(
        (*_THROWN_OUT, "restart-at-same-offset", "rebalance-storm", "redelivery-loop"),
        ("consumer-lag-grows",),
        "who does not get to read falls behind",
        ("group",),
    ),
    Explanation(("group-authorization-denied",), ("authorization-denied",), "both lack rights of one principal"),
    Explanation(
        ("unsupported-version",), ("below-kafka4-minimum",), "the versions are too old for this broker already"
    ),
)


def effects_of(rule_id: str) -> tuple[str, ...]:
    """Give the rules whose findings a rule's may explain."""
    return tuple(dict.fromkeys(effect for each in EXPLANATIONS if rule_id in each.causes for effect in each.effects))


def why(cause: str, effect: str) -> str:
    """Say how one brings the other about."""
    return next(each.why for each in EXPLANATIONS if cause in each.causes and effect in each.effects)
