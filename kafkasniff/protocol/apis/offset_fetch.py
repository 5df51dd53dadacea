"""OffsetFetch (API key 9), versions 0-10.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "OffsetFetchRequest",
    versions="0-10",
    flexible="6+",
    fields=(
        Field("groupId", "string", "0-7", entity="groupId"),
        Field(
            "topics",
            "[]OffsetFetchRequestTopic",
            "0-7",
            nullable="2-7",
            fields=(
                Field("name", "string", "0-7", entity="topicName"),
                Field("partitionIndexes", "[]int32", "0-7"),
            ),
        ),
        Field(
            "groups",
            "[]OffsetFetchRequestGroup",
            "8+",
            fields=(
                Field("groupId", "string", "8+", entity="groupId"),
                Field("memberId", "string", "9+", nullable="9+", default=None),
                Field("memberEpoch", "int32", "9+", default=-1),
                Field(
                    "topics",
                    "[]OffsetFetchRequestTopics",
                    "8+",
                    nullable="8+",
                    fields=(
                        Field("name", "string", "8-9", entity="topicName"),
                        Field("topicId", "uuid", "10+"),
                        Field("partitionIndexes", "[]int32", "8+"),
                    ),
                ),
            ),
        ),
        Field("requireStable", "bool", "7+", default=False),
    ),
)

RESPONSE = Message(
    "OffsetFetchResponse",
    versions="0-10",
    flexible="6+",
    fields=(
        Field("throttleTimeMs", "int32", "3+"),
        Field(
            "topics",
            "[]OffsetFetchResponseTopic",
            "0-7",
            fields=(
                Field("name", "string", "0-7", entity="topicName"),
                Field(
                    "partitions",
                    "[]OffsetFetchResponsePartition",
                    "0-7",
                    fields=(
                        Field("partitionIndex", "int32", "0-7"),
                        Field("committedOffset", "int64", "0-7"),
                        Field("committedLeaderEpoch", "int32", "5-7", default=-1),
                        Field("metadata", "string", "0-7", nullable="0-7"),
                        Field("errorCode", "int16", "0-7"),
                    ),
                ),
            ),
        ),
        Field("errorCode", "int16", "2-7", default=0),
        Field(
            "groups",
            "[]OffsetFetchResponseGroup",
            "8+",
            fields=(
                Field("groupId", "string", "8+", entity="groupId"),
                Field(
                    "topics",
                    "[]OffsetFetchResponseTopics",
                    "8+",
                    fields=(
                        Field("name", "string", "8-9", entity="topicName"),
                        Field("topicId", "uuid", "10+"),
                        Field(
                            "partitions",
                            "[]OffsetFetchResponsePartitions",
                            "8+",
                            fields=(
                                Field("partitionIndex", "int32", "8+"),
                                Field("committedOffset", "int64", "8+"),
                                Field("committedLeaderEpoch", "int32", "8+", default=-1),
                                Field("metadata", "string", "8+", nullable="8+"),
                                Field("errorCode", "int16", "8+"),
                            ),
                        ),
                    ),
                ),
                Field("errorCode", "int16", "8+", default=0),
            ),
        ),
    ),
)
