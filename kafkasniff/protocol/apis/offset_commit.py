"""OffsetCommit (API key 8), versions 0-10.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "OffsetCommitRequest",
    versions="0-10",
    flexible="8+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field("generationIdOrMemberEpoch", "int32", "1+", default=-1),
        Field("memberId", "string", "1+"),
        Field("retentionTimeMs", "int64", "2-4", default=-1),
        Field("groupInstanceId", "string", "7+", nullable="7+", default=None),
        Field(
            "topics",
            "[]OffsetCommitRequestTopic",
            "0+",
            fields=(
                Field("name", "string", "0-9", entity="topicName"),
                Field("topicId", "uuid", "10+"),
                Field(
                    "partitions",
                    "[]OffsetCommitRequestPartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("committedOffset", "int64", "0+"),
                        Field("commitTimestamp", "int64", "1", default=-1),
                        Field("committedLeaderEpoch", "int32", "6+", default=-1),
                        Field("committedMetadata", "string", "0+", nullable="0+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "OffsetCommitResponse",
    versions="0-10",
    flexible="8+",
    fields=(
        Field("throttleTimeMs", "int32", "3+"),
        Field(
            "topics",
            "[]OffsetCommitResponseTopic",
            "0+",
            fields=(
                Field("name", "string", "0-9", entity="topicName"),
                Field("topicId", "uuid", "10+"),
                Field(
                    "partitions",
                    "[]OffsetCommitResponsePartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
