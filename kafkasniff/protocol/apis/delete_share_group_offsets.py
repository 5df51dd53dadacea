"""DeleteShareGroupOffsets (API key 92), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DeleteShareGroupOffsetsRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field(
            "topics",
            "[]DeleteShareGroupOffsetsRequestTopic",
            "0+",
            fields=(Field("topicName", "string", "0+", entity="topicName"),),
        ),
    ),
)

RESPONSE = Message(
    "DeleteShareGroupOffsetsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+", default=None),
        Field(
            "responses",
            "[]DeleteShareGroupOffsetsResponseTopic",
            "0+",
            fields=(
                Field("topicName", "string", "0+", entity="topicName"),
                Field("topicId", "uuid", "0+"),
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+", default=None),
            ),
        ),
    ),
)
