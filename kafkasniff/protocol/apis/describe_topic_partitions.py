"""DescribeTopicPartitions (API key 75), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeTopicPartitionsRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("topics", "[]TopicRequest", "0+", fields=(Field("name", "string", "0+", entity="topicName"),)),
        Field("responsePartitionLimit", "int32", "0+", default=2000),
        Field(
            "cursor",
            "Cursor",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("topicName", "string", "0+", entity="topicName"),
                Field("partitionIndex", "int32", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "DescribeTopicPartitionsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "topics",
            "[]DescribeTopicPartitionsResponseTopic",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("name", "string", "0+", nullable="0+", map_key=True, entity="topicName"),
                Field("topicId", "uuid", "0+"),
                Field("isInternal", "bool", "0+", default=False),
                Field(
                    "partitions",
                    "[]DescribeTopicPartitionsResponsePartition",
                    "0+",
                    fields=(
                        Field("errorCode", "int16", "0+"),
                        Field("partitionIndex", "int32", "0+"),
                        Field("leaderId", "int32", "0+", entity="brokerId"),
                        Field("leaderEpoch", "int32", "0+", default=-1),
                        Field("replicaNodes", "[]int32", "0+", entity="brokerId"),
                        Field("isrNodes", "[]int32", "0+", entity="brokerId"),
                        Field(
                            "eligibleLeaderReplicas", "[]int32", "0+", nullable="0+", default=None, entity="brokerId"
                        ),
                        Field("lastKnownElr", "[]int32", "0+", nullable="0+", default=None, entity="brokerId"),
                        Field("offlineReplicas", "[]int32", "0+", entity="brokerId"),
                    ),
                ),
                Field("topicAuthorizedOperations", "int32", "0+", default=-2147483648),
            ),
        ),
        Field(
            "nextCursor",
            "Cursor",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("topicName", "string", "0+", entity="topicName"),
                Field("partitionIndex", "int32", "0+"),
            ),
        ),
    ),
)
