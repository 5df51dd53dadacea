"""ReadShareGroupState (API key 84), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ReadShareGroupStateRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+"),
        Field(
            "topics",
            "[]ReadStateData",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field(
                    "partitions",
                    "[]PartitionData",
                    "0+",
                    fields=(
                        Field("partition", "int32", "0+"),
                        Field("leaderEpoch", "int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)

RESPONSE = Message(
    "ReadShareGroupStateResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "results",
            "[]ReadStateResult",
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
                        Field("stateEpoch", "int32", "0+"),
                        Field("startOffset", "int64", "0+"),
                        Field(
                            "stateBatches",
                            "[]StateBatch",
                            "0+",
                            fields=(
                                Field("firstOffset", "int64", "0+"),
                                Field("lastOffset", "int64", "0+"),
                                Field("deliveryState", "int8", "0+"),
                                Field("deliveryCount", "int16", "0+"),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
)
