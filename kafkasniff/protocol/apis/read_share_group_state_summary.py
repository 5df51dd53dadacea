"""ReadShareGroupStateSummary (API key 87), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ReadShareGroupStateSummaryRequest",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("groupId", "string", "0+"),
        Field(
            "topics",
            "[]ReadStateSummaryData",
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
    "ReadShareGroupStateSummaryResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field(
            "results",
            "[]ReadStateSummaryResult",
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
                        Field("leaderEpoch", "int32", "0+"),
                        Field("startOffset", "int64", "0+"),
                        Field("deliveryCompleteCount", "int32", "1+", default=-1),
                    ),
                ),
            ),
        ),
    ),
)
