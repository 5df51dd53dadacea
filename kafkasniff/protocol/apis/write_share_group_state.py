"""WriteShareGroupState (API key 85), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "WriteShareGroupStateRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+"),
        Field(
            "topics",
            "[]WriteStateData",
            "0+",
            fields=(
                Field("topicId", "uuid", "0+"),
                Field(
                    "partitions",
                    "[]PartitionData",
                    "0+",
                    fields=(
                        Field("partition", "int32", "0+"),
                        Field("stateEpoch", "int32", "0+"),
                        Field("leaderEpoch", "int32", "0+"),
                        Field("startOffset", "int64", "0+"),
                        Field("deliveryCompleteCount", "int32", "1+", default=-1),
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

RESPONSE = Message(
    "WriteShareGroupStateResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field(
            "results",
            "[]WriteStateResult",
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
