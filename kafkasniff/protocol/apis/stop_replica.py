"""StopReplica (API key 5), versions 0-4.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "StopReplicaRequest",
    versions="0-4",
    flexible="2+",
    fields=(
        Field("controllerId", "int32", "0+", entity="brokerId"),
        Field("isKRaftController", "bool", "4+", default=False),
        Field("controllerEpoch", "int32", "0+"),
        Field("brokerEpoch", "int64", "1+", default=-1),
        Field("deletePartitions", "bool", "0-2"),
        Field(
            "ungroupedPartitions",
            "[]StopReplicaPartitionV0",
            "0",
            fields=(
                Field("topicName", "string", "0", entity="topicName"),
                Field("partitionIndex", "int32", "0"),
            ),
        ),
        Field(
            "topics",
            "[]StopReplicaTopicV1",
            "1-2",
            fields=(
                Field("name", "string", "1-2", entity="topicName"),
                Field("partitionIndexes", "[]int32", "1-2"),
            ),
        ),
        Field(
            "topicStates",
            "[]StopReplicaTopicState",
            "3+",
            fields=(
                Field("topicName", "string", "3+", entity="topicName"),
                Field(
                    "partitionStates",
                    "[]StopReplicaPartitionState",
                    "3+",
                    fields=(
                        Field("partitionIndex", "int32", "3+"),
                        Field("leaderEpoch", "int32", "3+", default=-1),
                        Field("deletePartition", "bool", "3+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "StopReplicaResponse",
    versions="0-4",
    flexible="2+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field(
            "partitionErrors",
            "[]StopReplicaPartitionError",
            "0+",
            fields=(
                Field("topicName", "string", "0+", entity="topicName"),
                Field("partitionIndex", "int32", "0+"),
                Field("errorCode", "int16", "0+"),
            ),
        ),
    ),
)
