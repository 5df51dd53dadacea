"""Errors that are part of a healthy client's life, or that rules without codes of their own judge, with the reason."""

from typing import NamedTuple

from kafkasniff.protocol.api_keys import (
    ADD_PARTITIONS_TO_TXN,
    ALLOCATE_PRODUCER_IDS,
    ALTER_PARTITION,
    API_VERSIONS,
    BEGIN_QUORUM_EPOCH,
    BROKER_HEARTBEAT,
    BROKER_REGISTRATION,
    CONSUMER_GROUP_DESCRIBE,
    CONSUMER_GROUP_HEARTBEAT,
    CONTROLLER_REGISTRATION,
    CREATE_TOPICS,
    DELETE_TOPICS,
    DESCRIBE_CLUSTER,
    DESCRIBE_GROUPS,
    DESCRIBE_QUORUM,
    END_QUORUM_EPOCH,
    FETCH,
    FETCH_SNAPSHOT,
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    METADATA,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    PRODUCE,
    SHARE_ACKNOWLEDGE,
    SHARE_FETCH,
    SHARE_GROUP_DESCRIBE,
    SHARE_GROUP_HEARTBEAT,
    STREAMS_GROUP_DESCRIBE,
    STREAMS_GROUP_HEARTBEAT,
    SYNC_GROUP,
    TXN_OFFSET_COMMIT,
    VOTE,
)
from kafkasniff.protocol.error_codes.by_name import codes_named

_GROUP_APIS = frozenset(
    {
        JOIN_GROUP,
        SYNC_GROUP,
        HEARTBEAT,
        LEAVE_GROUP,
        CONSUMER_GROUP_HEARTBEAT,
        SHARE_GROUP_HEARTBEAT,
        STREAMS_GROUP_HEARTBEAT,
    }
)
_SHARE_APIS = frozenset({SHARE_FETCH, SHARE_ACKNOWLEDGE})
_QUORUM_APIS = frozenset(
    {
        FETCH,
        VOTE,
        BEGIN_QUORUM_EPOCH,
        END_QUORUM_EPOCH,
        DESCRIBE_QUORUM,
        FETCH_SNAPSHOT,
        BROKER_REGISTRATION,
        BROKER_HEARTBEAT,
        ALLOCATE_PRODUCER_IDS,
        CONTROLLER_REGISTRATION,
    }
)
"""What voters, observers and brokers ask a quorum's leader."""

ANY_NUMBER = 1 << 62


class Normal(NamedTuple):
    """Errors that are not told up to some number."""

    codes: frozenset[int]
    apis: frozenset[int] | None
    """API keys; None for all."""
    a_minute: int
    """So many calls of one client within a minute are normal."""
    why: str


NORMAL_ERRORS: tuple[Normal, ...] = (
    Normal(
        codes_named("MEMBER_ID_REQUIRED"), frozenset({JOIN_GROUP}), ANY_NUMBER, "each join begins with it (KIP-394)"
    ),
    Normal(
        codes_named("UNSUPPORTED_VERSION"),
        frozenset({API_VERSIONS}),
        ANY_NUMBER,
        "clients find the highest version so (KIP-511)",
    ),
    Normal(
        codes_named("REBALANCE_IN_PROGRESS"),
        _GROUP_APIS,
        ANY_NUMBER,
        "members learn of a rebalance so; rules of rebalances judge it",
    ),
    Normal(
        codes_named("ILLEGAL_GENERATION UNKNOWN_MEMBER_ID"),
        _GROUP_APIS,
        30,
        "who was thrown out joins anew; session-timeout judges it",
    ),
    Normal(
        codes_named("UNKNOWN_MEMBER_ID"),
        frozenset({LEAVE_GROUP}),
        ANY_NUMBER,
        "who leaves may have been thrown out before",
    ),
    Normal(
        codes_named("ILLEGAL_GENERATION UNKNOWN_MEMBER_ID REBALANCE_IN_PROGRESS"),
        frozenset({OFFSET_COMMIT, TXN_OFFSET_COMMIT}),
        2,
        "commits without a member id",
    ),
    Normal(
        codes_named("FENCED_MEMBER_EPOCH STALE_MEMBER_EPOCH"),
        None,
        10,
        "a member of KIP-848 that reconciles heartbeats with its next epoch",
    ),
    Normal(
        codes_named("COORDINATOR_LOAD_IN_PROGRESS COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR"),
        None,
        60,
        "a coordinator moves or loads; coordinator rules judge what lasts",
    ),
    Normal(codes_named("NOT_CONTROLLER"), None, 10, "the controller has moved"),
    Normal(
        codes_named("LEADER_NOT_AVAILABLE REPLICA_NOT_AVAILABLE"),
        frozenset({METADATA}),
        ANY_NUMBER,
        "a topic is being made; partition-offline judges the rest",
    ),
    Normal(codes_named("LISTENER_NOT_FOUND"), frozenset({METADATA, DESCRIBE_CLUSTER}), 10, "a broker is starting"),
    Normal(
        codes_named("UNKNOWN_TOPIC_OR_PARTITION"),
        frozenset({DELETE_TOPICS, CREATE_TOPICS}),
        10,
        "deleted by two, or still being made",
    ),
    Normal(
        codes_named(
            "UNKNOWN_TOPIC_OR_PARTITION LEADER_NOT_AVAILABLE NOT_LEADER_OR_FOLLOWER REPLICA_NOT_AVAILABLE "
            "FENCED_LEADER_EPOCH UNKNOWN_LEADER_EPOCH OFFSET_NOT_AVAILABLE UNKNOWN_TOPIC_ID "
            "INCONSISTENT_TOPIC_ID"
        ),
        None,
        20,
        "leaders move, topics appear (KIP-320, KIP-516)",
    ),
    Normal(
        codes_named("DUPLICATE_SEQUENCE_NUMBER"),
        frozenset({PRODUCE}),
        ANY_NUMBER,
        "a retry of a batch that was written: it is there",
    ),
    Normal(
        codes_named("FETCH_SESSION_ID_NOT_FOUND INVALID_FETCH_SESSION_EPOCH FETCH_SESSION_TOPIC_ID_ERROR"),
        frozenset({FETCH}),
        ANY_NUMBER,
        "fetch-session-churn judges sessions that go",
    ),
    Normal(
        codes_named("SHARE_SESSION_NOT_FOUND INVALID_SHARE_SESSION_EPOCH SHARE_SESSION_LIMIT_REACHED"),
        _SHARE_APIS,
        10,
        "share sessions go when a leader moves or a broker restarts",
    ),
    Normal(codes_named("INVALID_RECORD_STATE"), _SHARE_APIS, 10, "a lock ran out while the record was processed"),
    Normal(codes_named("FENCED_STATE_EPOCH"), None, 10, "a share partition's leader has moved"),
    Normal(
        codes_named("UNSTABLE_OFFSET_COMMIT"),
        frozenset({OFFSET_FETCH}),
        60,
        "offsets of an open transaction settle soon (KIP-447)",
    ),
    Normal(codes_named("CONCURRENT_TRANSACTIONS"), None, 20, "the markers of the last transaction are being written"),
    Normal(
        codes_named("CONCURRENT_TRANSACTIONS"),
        frozenset({ADD_PARTITIONS_TO_TXN}),
        ANY_NUMBER,
        "concurrent-transactions-spin judges it",
    ),
    Normal(
        codes_named("OPERATION_NOT_ATTEMPTED"),
        None,
        ANY_NUMBER,
        "another part of the same request has the error that counts",
    ),
    Normal(
        codes_named("GROUP_ID_NOT_FOUND"),
        frozenset({DESCRIBE_GROUPS, CONSUMER_GROUP_DESCRIBE, SHARE_GROUP_DESCRIBE, STREAMS_GROUP_DESCRIBE}),
        ANY_NUMBER,
        "tools describe a group by each protocol in turn",
    ),
    Normal(
        codes_named("ELECTION_NOT_NEEDED NO_REASSIGNMENT_IN_PROGRESS RESOURCE_NOT_FOUND"),
        None,
        ANY_NUMBER,
        "tools ask for what is so already, or look whether it is there",
    ),
    Normal(
        codes_named("UNKNOWN_SUBSCRIPTION_ID REBOOTSTRAP_REQUIRED"),
        None,
        10,
        "the client asks anew by itself (KIP-714, KIP-1102)",
    ),
    Normal(
        codes_named(
            "FENCED_LEADER_EPOCH UNKNOWN_LEADER_EPOCH NOT_LEADER_OR_FOLLOWER SNAPSHOT_NOT_FOUND "
            "POSITION_OUT_OF_RANGE INELIGIBLE_REPLICA NEW_LEADER_ELECTED OFFSET_MOVED_TO_TIERED_STORAGE"
        ),
        _QUORUM_APIS,
        60,
        "elections and reassignments",
    ),
    Normal(
        codes_named(
            "REQUEST_TIMED_OUT BROKER_NOT_AVAILABLE NETWORK_EXCEPTION NOT_CONTROLLER STALE_BROKER_EPOCH "
            "BROKER_ID_NOT_REGISTERED UNKNOWN_CONTROLLER_ID CONTROLLER_ID_NOT_REGISTERED"
        ),
        _QUORUM_APIS,
        60,
        "brokers and controllers start",
    ),
    Normal(
        codes_named("STALE_BROKER_EPOCH INELIGIBLE_REPLICA INVALID_UPDATE_VERSION"),
        frozenset({ALTER_PARTITION}),
        10,
        "AlterPartition while a broker restarts, or after another change of the partition (KIP-497)",
    ),
)
"""Errors that `unexplained-error` leaves out; of several entries that fit, the most generous holds."""


def normal_a_minute(code: int, api_key: int) -> int:
    """Give how many calls a minute with an error of an API are normal for one client."""
    return max(
        (each.a_minute for each in NORMAL_ERRORS if code in each.codes and (each.apis is None or api_key in each.apis)),
        default=0,
    )
