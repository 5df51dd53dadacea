"""ListOffsets (API key 2), versions 0-11.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ListOffsetsRequest",
    versions="0-11",
    flexible="6+",
    fields=(
        Field("replicaId", "int32", "0+", entity="brokerId"),
        Field("isolationLevel", "int8", "2+"),
        Field(
            "topics",
            "[]ListOffsetsTopic",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]ListOffsetsPartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("currentLeaderEpoch", "int32", "4+", default=-1),
                        Field("timestamp", "int64", "0+"),
                        Field("maxNumOffsets", "int32", "0", default=1),
                    ),
                ),
            ),
        ),
        Field("timeoutMs", "int32", "10+"),
    ),
)

RESPONSE = Message(
    "ListOffsetsResponse",
    versions="0-11",
    flexible="6+",
    fields=(
        Field("throttleTimeMs", "int32", "2+"),
        Field(
            "topics",
            "[]ListOffsetsTopicResponse",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]ListOffsetsPartitionResponse",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("oldStyleOffsets", "[]int64", "0"),
                        Field("timestamp", "int64", "1+", default=-1),
                        Field("offset", "int64", "1+", default=-1),
                        Field("leaderEpoch", "int32", "4+", default=-1),
                    ),
                ),
            ),
        ),
    ),
)
