"""Errors that are part of a healthy client's life, or that rules without codes of their own judge, with the reason."""

from typing import NamedTuple

from kafkasniff.protocol.api_keys import (
    ADD_PARTITIONS_TO_TXN,
    API_VERSIONS,
    CONSUMER_GROUP_HEARTBEAT,
    CREATE_TOPICS,
    DELETE_TOPICS,
    DESCRIBE_CLUSTER,
    FETCH,
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    METADATA,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    PRODUCE,
    SHARE_FETCH,
    SYNC_GROUP,
    TXN_OFFSET_COMMIT,
)

_GROUP_APIS = frozenset({JOIN_GROUP, SYNC_GROUP, HEARTBEAT, LEAVE_GROUP, CONSUMER_GROUP_HEARTBEAT, 76, 88})
"""With ShareGroupHeartbeat and StreamsGroupHeartbeat."""
_SHARE_APIS = frozenset({SHARE_FETCH, 79})
"""With ShareAcknowledge."""
_QUORUM_APIS = frozenset({FETCH, 52, 53, 54, 55, 59, 62, 63, 67, 70})
"""What voters, observers and brokers ask a quorum's leader: Vote, BeginQuorumEpoch, …, ControllerRegistration."""

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
    Normal(frozenset({79}), frozenset({JOIN_GROUP}), ANY_NUMBER, "each join begins with it (KIP-394)"),
    Normal(frozenset({35}), frozenset({API_VERSIONS}), ANY_NUMBER, "clients find the highest version so (KIP-511)"),
    Normal(frozenset({27}), _GROUP_APIS, ANY_NUMBER, "members learn of a rebalance so; rules of rebalances judge it"),
    Normal(frozenset({22, 25}), _GROUP_APIS, 30, "who was thrown out joins anew; session-timeout judges it"),
    Normal(frozenset({25}), frozenset({LEAVE_GROUP}), ANY_NUMBER, "who leaves may have been thrown out before"),
    Normal(frozenset({22, 25, 27}), frozenset({OFFSET_COMMIT, TXN_OFFSET_COMMIT}), 2, "commits without a member id"),
    Normal(frozenset({110, 113}), None, 10, "a member of KIP-848 that reconciles heartbeats with its next epoch"),
    Normal(frozenset({14, 15, 16}), None, 60, "a coordinator moves or loads; coordinator rules judge what lasts"),
    Normal(frozenset({41}), None, 10, "the controller has moved"),
    Normal(
        frozenset({5, 9}), frozenset({METADATA}), ANY_NUMBER, "a topic is being made; partition-offline judges the rest"
    ),
    Normal(frozenset({72}), frozenset({METADATA, DESCRIBE_CLUSTER}), 10, "a broker is starting"),
    Normal(frozenset({3}), frozenset({DELETE_TOPICS, CREATE_TOPICS}), 10, "deleted by two, or still being made"),
    Normal(frozenset({3, 5, 6, 9, 74, 75, 78, 100, 103}), None, 20, "leaders move, topics appear (KIP-320, KIP-516)"),
    Normal(frozenset({46}), frozenset({PRODUCE}), ANY_NUMBER, "a retry of a batch that was written: it is there"),
    Normal(frozenset({70, 71, 106}), frozenset({FETCH}), ANY_NUMBER, "fetch-session-churn judges sessions that go"),
    Normal(frozenset({122, 123, 133}), _SHARE_APIS, 10, "share sessions go when a leader moves or a broker restarts"),
    Normal(frozenset({121}), _SHARE_APIS, 10, "a lock ran out while the record was processed"),
    Normal(frozenset({124}), None, 10, "a share partition's leader has moved"),
    Normal(frozenset({88}), frozenset({OFFSET_FETCH}), 60, "offsets of an open transaction settle soon (KIP-447)"),
    Normal(frozenset({51}), None, 20, "the markers of the last transaction are being written"),
    Normal(frozenset({51}), frozenset({ADD_PARTITIONS_TO_TXN}), ANY_NUMBER, "concurrent-transactions-spin judges it"),
    Normal(frozenset({55}), None, ANY_NUMBER, "another part of the same request has the error that counts"),
    Normal(frozenset({69}), frozenset({15, 69, 77, 89}), ANY_NUMBER, "tools describe a group by each protocol in turn"),
    Normal(frozenset({84, 85, 91}), None, ANY_NUMBER, "tools ask for what is so already, or look whether it is there"),
    Normal(frozenset({117, 129}), None, 10, "the client asks anew by itself (KIP-714, KIP-1102)"),
    Normal(frozenset({74, 75, 6, 98, 99, 107, 108, 109}), _QUORUM_APIS, 60, "elections and reassignments"),
    Normal(frozenset({7, 8, 13, 41, 77, 102, 116, 136}), _QUORUM_APIS, 60, "brokers and controllers start"),
    Normal(frozenset({77, 107}), frozenset({56}), 10, "AlterPartition while a broker restarts"),
)
"""Errors that `unexplained-error` leaves out; of several entries that fit, the most generous holds."""


def normal_a_minute(code: int, api_key: int) -> int:
    """Give how many calls a minute with an error of an API are normal for one client."""
    return max(
        (each.a_minute for each in NORMAL_ERRORS if code in each.codes and (each.apis is None or api_key in each.apis)),
        default=0,
    )
