"""TxnOffsetCommit (API key 28), versions 0-6.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "TxnOffsetCommitRequest",
    versions="0-6",
    flexible="3+",
    fields=(
        Field("transactionalId", "string", "0+", entity="transactionalId"),
        Field("groupId", "string", "0+", entity="groupId"),
        Field("producerId", "int64", "0+", entity="producerId"),
        Field("producerEpoch", "int16", "0+"),
        Field("generationIdOrMemberEpoch", "int32", "3+", default=-1),
        Field("memberId", "string", "3+", default=""),
        Field("groupInstanceId", "string", "3+", nullable="3+", default=None),
        Field(
            "topics",
            "[]TxnOffsetCommitRequestTopic",
            "0+",
            fields=(
                Field("name", "string", "0-5", entity="topicName"),
                Field("topicId", "uuid", "6+"),
                Field(
                    "partitions",
                    "[]TxnOffsetCommitRequestPartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("committedOffset", "int64", "0+"),
                        Field("committedLeaderEpoch", "int32", "2+", default=-1),
                        Field("committedMetadata", "string", "0+", nullable="0+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "TxnOffsetCommitResponse",
    versions="0-6",
    flexible="3+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "topics",
            "[]TxnOffsetCommitResponseTopic",
            "0+",
            fields=(
                Field("name", "string", "0-5", entity="topicName"),
                Field("topicId", "uuid", "6+"),
                Field(
                    "partitions",
                    "[]TxnOffsetCommitResponsePartition",
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
