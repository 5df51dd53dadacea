"""StreamsGroupMemberMetadataValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "StreamsGroupMemberMetadataValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("instanceId", "string", "0+", nullable="0+"),
        Field("rackId", "string", "0+", nullable="0+"),
        Field("clientId", "string", "0+"),
        Field("clientHost", "string", "0+"),
        Field("rebalanceTimeoutMs", "int32", "0+", default=-1),
        Field("topologyEpoch", "int32", "0+"),
        Field("processId", "string", "0+"),
        Field(
            "userEndpoint",
            "Endpoint",
            "0+",
            nullable="0+",
            default=None,
            fields=(
                Field("host", "string", "0+"),
                Field("port", "uint16", "0+"),
            ),
        ),
        Field(
            "clientTags",
            "[]KeyValue",
            "0+",
            fields=(
                Field("key", "string", "0+"),
                Field("value", "string", "0+"),
            ),
        ),
    ),
)
