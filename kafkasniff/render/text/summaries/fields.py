"""What the summary of a call names, by API: the fields of its messages, each with its role.

A role says what becomes of a field's value (`Summary` in summary.py). A path has the names of the structs around a
field; one that a version lacks is passed over.
"""

from typing import Final

from kafkasniff.protocol import api_keys as keys

# Topics with their partitions, as they come: `orders-0@17,1@4 payments-3@9`.
TOPIC: Final = 1
"""Name or id of a topic: begins an entry of the list."""
PARTITION: Final = 2
OFFSET: Final = 3
"""A number behind a partition."""
TIMESTAMP: Final = 4
"""As OFFSET; the sentinels of ListOffsets have names."""
OLD_OFFSETS: Final = 5
"""An array, of which the first number is as OFFSET."""
FETCHED_TOPIC: Final = 6
"""As TOPIC, in an answer of which only partitions with records are shown."""
FETCHED_PARTITION: Final = 7
ANSWERED_GROUP: Final = 8
"""Only the topics of the first of these are shown."""

# Lists of names.
NAME: Final = 10
NAME_BEFORE_ID: Final = 11
"""The name of a topic, or null; then the id that follows counts."""
ID_AFTER_NAME: Final = 12
ID_BEFORE_NAME: Final = 13
NAME_AFTER_ID: Final = 14
GROUP_NAME: Final = 15

# What several fields make together.
LEAVING_MEMBER: Final = 20
LEAVING_INSTANCE: Final = 21
LEAVING_REASON: Final = 22
NEW_TOPIC: Final = 23
NEW_PARTITIONS: Final = 24
NEW_REPLICATION: Final = 25
NODE: Final = 26
NODE_HOST: Final = 27
NODE_PORT: Final = 28
TRANSACTIONS: Final = 29
TRANSACTION: Final = 30
OLD_TRANSACTION: Final = 31
TRANSACTION_GROUP: Final = 32
COMMITTED: Final = 33
VERIFIED: Final = 34
MARKER_PRODUCER: Final = 35
MARKER_EPOCH: Final = 36
MARKER_RESULT: Final = 37
MARKER_TOPICS: Final = 38
RESOURCE_TYPE: Final = 39
RESOURCE_NAME: Final = 40
WRITTEN_PARTITIONS: Final = 41
WRITTEN_OFFSET: Final = 42
RECORDS: Final = 43
"""Of all `records` fields: their batches are counted and checked."""
FETCHED_RECORDS: Final = 44
"""As RECORDS; the partition before it is shown if it has some."""

# Single strings, numbers, and counts of arrays, kept until the message was read: three ranges.
STRINGS: Final = 64
GROUP: Final = 64
INSTANCE: Final = 65
MEMBER: Final = 66
TRANSACTIONAL_ID: Final = 67
SOFTWARE: Final = 68
SOFTWARE_VERSION: Final = 69
PROTOCOL: Final = 70
REASON: Final = 71

NUMBERS: Final = 72
GENERATION: Final = 72
EPOCH: Final = 73
ACKS: Final = 74
SESSION: Final = 75
KEY_TYPE: Final = 76
PRODUCER: Final = 77
PRODUCER_EPOCH: Final = 78
BROKER: Final = 79

COUNTS: Final = 80
"""Of a struct 0 while it is there."""
BROKERS: Final = 80
TOPICS: Final = 81
APIS: Final = 82
MEMBERS: Final = 83
ASSIGNMENTS: Final = 84
ASSIGNMENT: Final = 85

THROTTLE: Final = 86
"""`throttleTimeMs` of any answer."""

SLOTS_END: Final = 88

Roles = dict[str, int]


def _inside(path: str, roles: Roles) -> Roles:
    return {f"{path}.{name}": role for name, role in roles.items()}


_MEMBER: Final[Roles] = {
    "groupId": GROUP,
    "groupInstanceId": INSTANCE,
    "instanceId": INSTANCE,
    "memberId": MEMBER,
    "generationId": GENERATION,
    "memberEpoch": EPOCH,
}
_TOPICS: Final[Roles] = {
    "topics.name": TOPIC,
    "topics.topicId": TOPIC,
    "topics.partitions.partitionIndex": PARTITION,
}
_OFFSETS: Final[Roles] = _TOPICS | {"topics.partitions.committedOffset": OFFSET}
_NODE: Final[Roles] = {"nodeId": NODE, "host": NODE_HOST, "port": NODE_PORT}
_CONFIGS: Final[Roles] = {"resources.resourceType": RESOURCE_TYPE, "resources.resourceName": RESOURCE_NAME}
_TRANSACTION: Final[Roles] = {
    "transactionalId": TRANSACTION,
    "groupId": TRANSACTION_GROUP,
    "committed": COMMITTED,
    "verifyOnly": VERIFIED,
    "topics.name": TOPIC,
    "topics.topicId": TOPIC,
}
_HEARTBEAT: Final[tuple[Roles, Roles]] = (
    _MEMBER | {"subscribedTopicNames": NAME},
    {
        "memberEpoch": EPOCH,
        "assignment": ASSIGNMENT,
        "assignment.topicPartitions.topicId": TOPIC,
        "assignment.topicPartitions.topicName": TOPIC,
        "assignment.topicPartitions.partitions": PARTITION,
    },
)

SUMMARY_FIELDS: Final[dict[int, tuple[Roles, Roles]]] = {
    keys.PRODUCE: (
        {
            "transactionalId": TRANSACTIONAL_ID,
            "acks": ACKS,
            "topicData.name": TOPIC,
            "topicData.topicId": TOPIC,
            "topicData.partitionData.index": PARTITION,
        },
        {
            "responses.name": TOPIC,
            "responses.topicId": TOPIC,
            "responses.partitionResponses": WRITTEN_PARTITIONS,
            "responses.partitionResponses.index": PARTITION,
            "responses.partitionResponses.baseOffset": WRITTEN_OFFSET,
        },
    ),
    keys.FETCH: (
        {
            "sessionId": SESSION,
            "topics.topic": TOPIC,
            "topics.topicId": TOPIC,
            "topics.partitions.partition": PARTITION,
            "topics.partitions.fetchOffset": OFFSET,
        },
        {
            "responses.topic": FETCHED_TOPIC,
            "responses.topicId": FETCHED_TOPIC,
            "responses.partitions.partitionIndex": FETCHED_PARTITION,
            "responses.partitions.records": FETCHED_RECORDS,
        },
    ),
    keys.LIST_OFFSETS: (
        _TOPICS | {"topics.partitions.timestamp": TIMESTAMP},
        _TOPICS | {"topics.partitions.offset": OFFSET, "topics.partitions.oldStyleOffsets": OLD_OFFSETS},
    ),
    keys.METADATA: (
        {"topics": TOPICS, "topics.topicId": ID_BEFORE_NAME, "topics.name": NAME_AFTER_ID},
        {"brokers": BROKERS, "topics": TOPICS},
    ),
    keys.CONTROLLED_SHUTDOWN: ({"brokerId": BROKER}, {}),
    keys.OFFSET_COMMIT: ({"groupId": GROUP} | _OFFSETS, _TOPICS),
    keys.OFFSET_FETCH: (
        {"groupId": GROUP_NAME, "groups.groupId": GROUP_NAME},
        _OFFSETS | {"groups.groupId": ANSWERED_GROUP} | _inside("groups", _OFFSETS),
    ),
    keys.FIND_COORDINATOR: (
        {"key": NAME, "coordinatorKeys": NAME, "keyType": KEY_TYPE},
        _NODE | _inside("coordinators", _NODE),
    ),
    keys.JOIN_GROUP: (
        _MEMBER | {"protocols.name": NAME, "reason": REASON},
        {"generationId": GENERATION, "protocolName": PROTOCOL, "members": MEMBERS},
    ),
    keys.HEARTBEAT: (_MEMBER, {}),
    keys.LEAVE_GROUP: (
        _MEMBER
        | {
            "members.memberId": LEAVING_MEMBER,
            "members.groupInstanceId": LEAVING_INSTANCE,
            "members.reason": LEAVING_REASON,
        },
        {},
    ),
    keys.SYNC_GROUP: (_MEMBER | {"assignments": ASSIGNMENTS}, {}),
    keys.DESCRIBE_GROUPS: ({"groups": NAME}, {}),
    keys.API_VERSIONS: ({"clientSoftwareName": SOFTWARE, "clientSoftwareVersion": SOFTWARE_VERSION}, {"apiKeys": APIS}),
    keys.CREATE_TOPICS: (
        {
            "topics.name": NEW_TOPIC,
            "topics.numPartitions": NEW_PARTITIONS,
            "topics.replicationFactor": NEW_REPLICATION,
        },
        {},
    ),
    keys.DELETE_TOPICS: ({"topicNames": NAME, "topics.name": NAME_BEFORE_ID, "topics.topicId": ID_AFTER_NAME}, {}),
    keys.INIT_PRODUCER_ID: (
        {"transactionalId": TRANSACTIONAL_ID},
        {"producerId": PRODUCER, "producerEpoch": PRODUCER_EPOCH},
    ),
    keys.ADD_PARTITIONS_TO_TXN: (
        {
            "v3AndBelowTransactionalId": OLD_TRANSACTION,
            "v3AndBelowTopics.name": TOPIC,
            "v3AndBelowTopics.partitions": PARTITION,
            "transactions": TRANSACTIONS,
        }
        | _inside("transactions", _TRANSACTION | {"topics.partitions": PARTITION}),
        {},
    ),
    keys.ADD_OFFSETS_TO_TXN: (_TRANSACTION, {}),
    keys.END_TXN: (_TRANSACTION, {}),
    keys.WRITE_TXN_MARKERS: (
        {
            "markers.producerId": MARKER_PRODUCER,
            "markers.producerEpoch": MARKER_EPOCH,
            "markers.transactionResult": MARKER_RESULT,
            "markers.topics": MARKER_TOPICS,
            "markers.topics.name": TOPIC,
            "markers.topics.partitionIndexes": PARTITION,
        },
        {},
    ),
    keys.TXN_OFFSET_COMMIT: (_TRANSACTION | _OFFSETS, {}),
    keys.DESCRIBE_CONFIGS: (_CONFIGS, {}),
    keys.ALTER_CONFIGS: (_CONFIGS, {}),
    keys.DELETE_GROUPS: ({"groupsNames": NAME}, {}),
    keys.INCREMENTAL_ALTER_CONFIGS: (_CONFIGS, {}),
    keys.DESCRIBE_CLUSTER: ({}, {"brokers": BROKERS}),
    keys.BROKER_REGISTRATION: ({"brokerId": BROKER}, {}),
    keys.BROKER_HEARTBEAT: ({"brokerId": BROKER}, {}),
    keys.DESCRIBE_TRANSACTIONS: ({"transactionalIds": NAME}, {}),
    keys.ALLOCATE_PRODUCER_IDS: ({"brokerId": BROKER}, {}),
    keys.CONSUMER_GROUP_HEARTBEAT: _HEARTBEAT,
    keys.CONSUMER_GROUP_DESCRIBE: ({"groupIds": NAME}, {}),
    keys.SHARE_GROUP_HEARTBEAT: _HEARTBEAT,
    keys.SHARE_GROUP_DESCRIBE: ({"groupIds": NAME}, {}),
    keys.SHARE_FETCH: (_MEMBER, {}),
    keys.SHARE_ACKNOWLEDGE: (_MEMBER, {}),
    keys.STREAMS_GROUP_HEARTBEAT: _HEARTBEAT,
    keys.STREAMS_GROUP_DESCRIBE: ({"groupIds": NAME}, {}),
}
"""By API key: of the request and of the response."""

LABELS: Final[dict[int, bytes]] = {
    keys.DESCRIBE_GROUPS: b"group ",
    keys.DELETE_GROUPS: b"group ",
    keys.DESCRIBE_TRANSACTIONS: b"transaction ",
    keys.CONSUMER_GROUP_DESCRIBE: b"group ",
    keys.SHARE_GROUP_DESCRIBE: b"group ",
    keys.STREAMS_GROUP_DESCRIBE: b"group ",
}
"""Of APIs whose requests are lists of names."""
COORDINATOR_KEYS: Final[dict[int, bytes]] = {0: b"group ", 1: b"transaction ", 2: b"share "}
"""FindCoordinatorRequest.CoordinatorType."""
