"""JoinGroup (API key 11), versions 0-9.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "JoinGroupRequest",
    versions="0-9",
    flexible="6+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field("sessionTimeoutMs", "int32", "0+"),
        Field("rebalanceTimeoutMs", "int32", "1+", default=-1),
        Field("memberId", "string", "0+"),
        Field("groupInstanceId", "string", "5+", nullable="5+", default=None),
        Field("protocolType", "string", "0+"),
        Field(
            "protocols",
            "[]JoinGroupRequestProtocol",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True),
                Field("metadata", "bytes", "0+"),
            ),
        ),
        Field("reason", "string", "8+", nullable="8+", default=None),
    ),
)

RESPONSE = Message(
    "JoinGroupResponse",
    versions="0-9",
    flexible="6+",
    fields=(
        Field("throttleTimeMs", "int32", "2+"),
        Field("errorCode", "int16", "0+"),
        Field("generationId", "int32", "0+", default=-1),
        Field("protocolType", "string", "7+", nullable="7+", default=None),
        Field("protocolName", "string", "0+", nullable="7+"),
        Field("leader", "string", "0+"),
        Field("skipAssignment", "bool", "9+", default=False),
        Field("memberId", "string", "0+"),
        Field(
            "members",
            "[]JoinGroupResponseMember",
            "0+",
            fields=(
                Field("memberId", "string", "0+"),
                Field("groupInstanceId", "string", "5+", nullable="5+", default=None),
                Field("metadata", "bytes", "0+"),
            ),
        ),
    ),
)
