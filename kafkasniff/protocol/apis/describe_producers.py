"""DescribeProducers (API key 61), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeProducersRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "topics",
            "[]TopicRequest",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True, entity="topicName"),
                Field("partitionIndexes", "[]int32", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "DescribeProducersResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "topics",
            "[]TopicResponse",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]PartitionResponse",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("errorCode", "int16", "0+"),
                        Field("errorMessage", "string", "0+", nullable="0+", default=None),
                        Field(
                            "activeProducers",
                            "[]ProducerState",
                            "0+",
                            fields=(
                                Field("producerId", "int64", "0+", entity="producerId"),
                                Field("producerEpoch", "int32", "0+"),
                                Field("lastSequence", "int32", "0+", default=-1),
                                Field("lastTimestamp", "int64", "0+", default=-1),
                                Field("coordinatorEpoch", "int32", "0+"),
                                Field("currentTxnStartOffset", "int64", "0+", default=-1),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
)
