"""AlterPartitionReassignments (API key 45), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AlterPartitionReassignmentsRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("timeoutMs", "int32", "0+", default=60000),
        Field("allowReplicationFactorChange", "bool", "1+", default=True),
        Field(
            "topics",
            "[]ReassignableTopic",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]ReassignablePartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("replicas", "[]int32", "0+", nullable="0+", default=None, entity="brokerId"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "AlterPartitionReassignmentsResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("allowReplicationFactorChange", "bool", "1+", default=True),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
        Field(
            "responses",
            "[]ReassignableTopicResponse",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]ReassignablePartitionResponse",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("errorMessage", "string", "0+", nullable="0+"),
                    ),
                ),
            ),
        ),
    ),
)
