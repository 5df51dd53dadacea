"""ConsumerGroupHeartbeat (API key 68), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ConsumerGroupHeartbeatRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field("memberId", "string", "0+"),
        Field("memberEpoch", "int32", "0+"),
        Field("instanceId", "string", "0+", nullable="0+", default=None),
        Field("rackId", "string", "0+", nullable="0+", default=None),
        Field("rebalanceTimeoutMs", "int32", "0+", default=-1),
        Field("subscribedTopicNames", "[]string", "0+", nullable="0+", default=None, entity="topicName"),
        Field("subscribedTopicRegex", "string", "1+", nullable="1+", default=None),
        Field("serverAssignor", "string", "0+", nullable="0+", default=None),
        Field(
            "topicPartitions",
            "[]TopicPartitions",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("topicId", "uuid", "0+"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "ConsumerGroupHeartbeatResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+", default=None),
        Field("memberId", "string", "0+", nullable="0+", default=None),
        Field("memberEpoch", "int32", "0+"),
        Field("heartbeatIntervalMs", "int32", "0+"),
        Field(
            "assignment",
            "Assignment",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field(
                    "topicPartitions",
                    "[]TopicPartitions",
                    "0+",
                    fields=(
                        Field("topicId", "uuid", "0+"),
                        Field("partitions", "[]int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
