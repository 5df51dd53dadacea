"""OffsetDelete (API key 47), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "OffsetDeleteRequest",
    versions="0",
    flexible="none",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field(
            "topics",
            "[]OffsetDeleteRequestTopic",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True, entity="topicName"),
                Field(
                    "partitions",
                    "[]OffsetDeleteRequestPartition",
                    "0+",
                    fields=(Field("partitionIndex", "int32", "0+"),),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "OffsetDeleteResponse",
    versions="0",
    flexible="none",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "topics",
            "[]OffsetDeleteResponseTopic",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True, entity="topicName"),
                Field(
                    "partitions",
                    "[]OffsetDeleteResponsePartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+", map_key=True),
                        Field("errorCode", "int16", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
