"""OffsetForLeaderEpoch (API key 23), versions 0-4.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "OffsetForLeaderEpochRequest",
    versions="0-4",
    flexible="4+",
    fields=(
        Field("replicaId", "int32", "3+", default=-2, entity="brokerId"),
        Field(
            "topics",
            "[]OffsetForLeaderTopic",
            "0+",
            fields=(
                Field("topic", "string", "0+", map_key=True, entity="topicName"),
                Field(
                    "partitions",
                    "[]OffsetForLeaderPartition",
                    "0+",
                    fields=(
                        Field("partition", "int32", "0+"),
                        Field("currentLeaderEpoch", "int32", "2+", default=-1),
                        Field("leaderEpoch", "int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "OffsetForLeaderEpochResponse",
    versions="0-4",
    flexible="4+",
    fields=(
        Field("throttleTimeMs", "int32", "2+"),
        Field(
            "topics",
            "[]OffsetForLeaderTopicResult",
            "0+",
            fields=(
                Field("topic", "string", "0+", map_key=True, entity="topicName"),
                Field(
                    "partitions",
                    "[]EpochEndOffset",
                    "0+",
                    fields=(
                        Field("errorCode", "int16", "0+"),
                        Field("partition", "int32", "0+"),
                        Field("leaderEpoch", "int32", "1+", default=-1),
                        Field("endOffset", "int64", "0+", default=-1),
                    ),
                ),
            ),
        ),
    ),
)
