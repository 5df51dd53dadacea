"""DeleteRecords (API key 21), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DeleteRecordsRequest",
    versions="0-2",
    flexible="2+",
    fields=(
        Field(
            "topics",
            "[]DeleteRecordsTopic",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field(
                    "partitions",
                    "[]DeleteRecordsPartition",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+"),
                        Field("offset", "int64", "0+"),
                    ),
                ),
            ),
        ),
        Field("timeoutMs", "int32", "0+"),
    ),
)

RESPONSE = Message(
    "DeleteRecordsResponse",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "topics",
            "[]DeleteRecordsTopicResult",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True, entity="topicName"),
                Field(
                    "partitions",
                    "[]DeleteRecordsPartitionResult",
                    "0+",
                    fields=(
                        Field("partitionIndex", "int32", "0+", map_key=True),
                        Field("lowWatermark", "int64", "0+"),
                        Field("errorCode", "int16", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
