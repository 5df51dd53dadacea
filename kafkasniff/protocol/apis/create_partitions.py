"""CreatePartitions (API key 37), versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "CreatePartitionsRequest",
    versions="0-3",
    flexible="2+",
    fields=(
        Field(
            "topics",
            "[]CreatePartitionsTopic",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True, entity="topicName"),
                Field("count", "int32", "0+"),
                Field(
                    "assignments",
                    "[]CreatePartitionsAssignment",
                    "0+",
                    nullable="0+",
                    fields=(Field("brokerIds", "[]int32", "0+", entity="brokerId"),),
                ),
            ),
        ),
        Field("timeoutMs", "int32", "0+"),
        Field("validateOnly", "bool", "0+"),
    ),
)

RESPONSE = Message(
    "CreatePartitionsResponse",
    versions="0-3",
    flexible="2+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "results",
            "[]CreatePartitionsTopicResult",
            "0+",
            fields=(
                Field("name", "string", "0+", entity="topicName"),
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+", default=None),
            ),
        ),
    ),
)
