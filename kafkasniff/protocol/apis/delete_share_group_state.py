"""DeleteShareGroupState (API key 86), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DeleteShareGroupStateRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+"),
        Field(
            "topics",
            "[]DeleteStateData",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field("partitions", "[]PartitionData", "0+", fields=(Field("partition", "int32", "0+"),)),
            ),
        ),
    ),
)

RESPONSE = Message(
    "DeleteShareGroupStateResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "results",
            "[]DeleteStateResult",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field(
                    "partitions",
                    "[]PartitionResult",
                    "0+",
                    fields=(
                        Field("partition", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("errorMessage", "string", "0+", nullable="0+", default=None),
                    ),
                ),
            ),
        ),
    ),
)
