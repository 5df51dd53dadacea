"""AlterShareGroupOffsets (API key 91), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AlterShareGroupOffsetsRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field(
            "topics",
            "[]AlterShareGroupOffsetsRequestTopic",
            "0+",
            fields=(
                Field("topicName", "string", "0+", map_key=True, entity="topicName"),
                Field(
                    "partitions",
                    "[]AlterShareGroupOffsetsRequestPartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("startOffset", "int64", "0+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "AlterShareGroupOffsetsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+", default=None),
        Field(
            "responses",
            "[]AlterShareGroupOffsetsResponseTopic",
            "0+",
            fields=(
                Field("topicName", "string", "0+", map_key=True, entity="topicName"),
                Field("topicId", "uuid", "0+"),
                Field(
                    "partitions",
                    "[]AlterShareGroupOffsetsResponsePartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("errorMessage", "string", "0+", nullable="0+", default=None),
                    ),
                ),
            ),
        ),
    ),
)
