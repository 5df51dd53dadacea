"""DescribeShareGroupOffsets (API key 90), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeShareGroupOffsetsRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field(
            "groups",
            "[]DescribeShareGroupOffsetsRequestGroup",
            "0+",
            fields=(
                Field("groupId", "string", "0+", entity="groupId"),
                Field(
                    "topics",
                    "[]DescribeShareGroupOffsetsRequestTopic",
                    "0+",
                    nullable="0+",
                    fields=(
                        Field("topicName", "string", "0+", entity="topicName"),
                        Field("partitions", "[]int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "DescribeShareGroupOffsetsResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "groups",
            "[]DescribeShareGroupOffsetsResponseGroup",
            "0+",
            fields=(
                Field("groupId", "string", "0+", entity="groupId"),
                Field(
                    "topics",
                    "[]DescribeShareGroupOffsetsResponseTopic",
                    "0+",
                    fields=(
                        Field("topicName", "string", "0+", entity="topicName"),
                        Field("topicId", "uuid", "0+"),
                        Field(
                            "partitions",
                            "[]DescribeShareGroupOffsetsResponsePartition",
                            "0+",
                            fields=(
                                Field("partitionIndex", "int32", "0+"),
                                Field("startOffset", "int64", "0+"),
                                Field("leaderEpoch", "int32", "0+"),
                                Field("lag", "int64", "1+", default=-1),
                                Field("errorCode", "int16", "0+"),
                                Field("errorMessage", "string", "0+", nullable="0+", default=None),
                            ),
                        ),
                    ),
                ),
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+", default=None),
            ),
        ),
    ),
)
