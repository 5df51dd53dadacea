"""ElectLeaders (API key 43), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ElectLeadersRequest",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("electionType", "int8", "1+"),
        Field(
            "topicPartitions",
            "[]TopicPartitions",
            "0+",
            nullable="0+",
            fields=(
                Field("topic", "string", "0+", map_key=True, entity="topicName"),
                Field("partitions", "[]int32", "0+"),
            ),
        ),
        Field("timeoutMs", "int32", "0+", default=60000),
    ),
)

RESPONSE = Message(
    "ElectLeadersResponse",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "1+"),
        Field(
            "replicaElectionResults",
            "[]ReplicaElectionResult",
            "0+",
            fields=(
                Field("topic", "string", "0+", entity="topicName"),
                Field(
                    "partitionResult",
                    "[]PartitionResult",
                    "0+",
                    fields=(
                        Field("partitionId", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("errorMessage", "string", "0+", nullable="0+"),
                    ),
                ),
            ),
        ),
    ),
)
