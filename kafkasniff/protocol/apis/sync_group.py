"""SyncGroup (API key 14), versions 0-5.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "SyncGroupRequest",
    versions="0-5",
    flexible="4+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field("generationId", "int32", "0+"),
        Field("memberId", "string", "0+"),
        Field("groupInstanceId", "string", "3+", nullable="3+", default=None),
        Field("protocolType", "string", "5+", nullable="5+", default=None),
        Field("protocolName", "string", "5+", nullable="5+", default=None),
        Field(
            "assignments",
            "[]SyncGroupRequestAssignment",
            "0+",
            fields=(
                Field("memberId", "string", "0+"),
                Field("assignment", "bytes", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "SyncGroupResponse",
    versions="0-5",
    flexible="4+",
    fields=(
        Field("throttleTimeMs", "int32", "1+"),
        Field("errorCode", "int16", "0+"),
        Field("protocolType", "string", "5+", nullable="5+", default=None),
        Field("protocolName", "string", "5+", nullable="5+", default=None),
        Field("assignment", "bytes", "0+"),
    ),
)
