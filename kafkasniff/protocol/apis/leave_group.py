"""LeaveGroup (API key 13), versions 0-5.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "LeaveGroupRequest",
    versions="0-5",
    flexible="4+",
    fields=(
        Field("groupId", "string", "0+", entity="groupId"),
        Field("memberId", "string", "0-2"),
        Field(
            "members",
            "[]MemberIdentity",
            "3+",
            fields=(
                Field("memberId", "string", "3+"),
                Field("groupInstanceId", "string", "3+", nullable="3+", default=None),
                Field("reason", "string", "5+", nullable="5+", default=None),
            ),
        ),
    ),
)

RESPONSE = Message(
    "LeaveGroupResponse",
    versions="0-5",
    flexible="4+",
    fields=(
        Field("throttleTimeMs", "int32", "1+"),
        Field("errorCode", "int16", "0+"),
        Field(
            "members",
            "[]MemberResponse",
            "3+",
            fields=(
                Field("memberId", "string", "3+"),
                Field("groupInstanceId", "string", "3+", nullable="3+"),
                Field("errorCode", "int16", "3+"),
            ),
        ),
    ),
)
