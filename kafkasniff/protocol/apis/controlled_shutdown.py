"""ControlledShutdown (API key 7), versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ControlledShutdownRequest",
    versions="0-3",
    flexible="3+",
    fields=(
        Field("brokerId", "int32", "0+", entity="brokerId"),
        Field("brokerEpoch", "int64", "2+", default=-1),
    ),
)

RESPONSE = Message(
    "ControlledShutdownResponse",
    versions="0-3",
    flexible="3+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field(
            "remainingPartitions",
            "[]RemainingPartition",
            "0+",
            fields=(
                Field("topicName", "string", "0+", map_key=True, entity="topicName"),
                Field("partitionIndex", "int32", "0+", map_key=True),
            ),
        ),
    ),
)
