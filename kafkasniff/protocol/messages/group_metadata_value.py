"""GroupMetadataValue in __consumer_offsets, versions 0-4.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "GroupMetadataValue",
    versions="0-4",
    flexible="4+",
    fields=(
        Field("protocolType", "string", "0+"),
        Field("generation", "int32", "0+"),
        Field("protocol", "string", "0+", nullable="0+"),
        Field("leader", "string", "0+", nullable="0+"),
        Field("currentStateTimestamp", "int64", "2+", default=-1),
        Field(
            "members",
            "[]MemberMetadata",
            "0+",
            fields=(
                Field("memberId", "string", "0+"),
                Field("groupInstanceId", "string", "3+", nullable="3+", default=None),
                Field("clientId", "string", "0+"),
                Field("clientHost", "string", "0+"),
                Field("rebalanceTimeout", "int32", "1+", default=-1),
                Field("sessionTimeout", "int32", "0+"),
                Field("subscription", "bytes", "0+"),
                Field("assignment", "bytes", "0+"),
            ),
        ),
    ),
)
