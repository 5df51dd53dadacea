"""ListPartitionReassignments (API key 46), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ListPartitionReassignmentsRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("timeoutMs", "int32", "0+", default=60000),
        Field(
            "topics",
            "[]ListPartitionReassignmentsTopics",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field("partitionIndexes", "[]int32", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "ListPartitionReassignmentsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
        Field(
            "topics",
            "[]OngoingTopicReassignment",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]OngoingPartitionReassignment",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("replicas", "[]int32", "0+", entity="brokerId"),
                        Field("addingReplicas", "[]int32", "0+", entity="brokerId"),
                        Field("removingReplicas", "[]int32", "0+", entity="brokerId"),
                    ),
                ),
            ),
        ),
    ),
)
