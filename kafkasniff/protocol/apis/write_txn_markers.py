"""WriteTxnMarkers (API key 27), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "WriteTxnMarkersRequest",
    versions="0-2",
    flexible="1+",
    fields=(
        Field(
            "markers",
            "[]WritableTxnMarker",
            "0+",
            fields=(
                Field("producerId", "int64", "0+", entity="producerId"),
                Field("producerEpoch", "int16", "0+"),
                Field("transactionResult", "bool", "0+"),
                Field(
                    "topics",
                    "[]WritableTxnMarkerTopic",
                    "0+",
                    fields=(
                        Field("name", "string", "0+", entity="topicName"),
                        Field("partitionIndexes", "[]int32", "0+"),
                    ),
                ),
                Field("coordinatorEpoch", "int32", "0+"),
                Field("transactionVersion", "int8", "2+", default=0),
            ),
        ),
    ),
)

RESPONSE = Message(
    "WriteTxnMarkersResponse",
    versions="0-2",
    flexible="1+",
    fields=(
        Field(
            "markers",
            "[]WritableTxnMarkerResult",
            "0+",
            fields=(
                Field("producerId", "int64", "0+", entity="producerId"),
                Field(
                    "topics",
                    "[]WritableTxnMarkerTopicResult",
                    "0+",
                    fields=(
                        Field("name", "string", "0+", entity="topicName"),
                        Field(
                            "partitions",
                            "[]WritableTxnMarkerPartitionResult",
                            "0+",
                            fields=(
                                Field("partitionIndex", "int32", "0+"),
                                Field("errorCode", "int16", "0+"),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
)
