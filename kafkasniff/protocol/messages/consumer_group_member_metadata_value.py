"""ConsumerGroupMemberMetadataValue in __consumer_offsets, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ConsumerGroupMemberMetadataValue",
    versions="0",
    flexible="0+",
    fields=(
        Field("instanceId", "string", "0+", nullable="0+"),
        Field("rackId", "string", "0+", nullable="0+"),
        Field("clientId", "string", "0+"),
        Field("clientHost", "string", "0+"),
        Field("subscribedTopicNames", "[]string", "0+"),
        Field("subscribedTopicRegex", "string", "0+", nullable="0+"),
        Field("rebalanceTimeoutMs", "int32", "0+", default=-1),
        Field("serverAssignor", "string", "0+", nullable="0+"),
        Field(
            "classicMemberMetadata",
            "ClassicMemberMetadata",
            "0+",
            nullable="0+",
            tagged="0+",
            tag=0,
            fields=(
                Field("sessionTimeoutMs", "int32", "0+"),
                Field(
                    "supportedProtocols",
                    "[]ClassicProtocol",
                    "0+",
                    fields=(
                        Field("name", "string", "0+"),
                        Field("metadata", "bytes", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
