"""StreamsGroupMetadataValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "StreamsGroupMetadataValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("epoch", "int32", "0+"),
        Field("metadataHash", "int64", "0+"),
        Field("validatedTopologyEpoch", "int32", "0+", tagged="0+", tag=0, default=-1),
        Field(
            "lastAssignmentConfigs",
            "[]LastAssignmentConfig",
            "0+",
            nullable="0+",
            tagged="0+",
            tag=1,
            fields=(
                Field("key", "string", "0+"),
                Field("value", "string", "0+"),
            ),
        ),
        Field("storedDescriptionTopologyEpoch", "int32", "0+", tagged="0+", tag=2, default=-1),
        Field("failedDescriptionTopologyEpoch", "int32", "0+", tagged="0+", tag=3, default=-1),
    ),
)
