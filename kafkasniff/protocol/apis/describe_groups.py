"""DescribeGroups (API key 15), versions 0-6.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeGroupsRequest",
    versions="0-6",
    flexible="5+",
    fields=(
        Field("groups", "[]string", "0+", entity="groupId"),
        Field("includeAuthorizedOperations", "bool", "3+"),
    ),
)

RESPONSE = Message(
    "DescribeGroupsResponse",
    versions="0-6",
    flexible="5+",
    fields=(
        Field("throttleTimeMs", "int32", "1+"),
        Field(
            "groups",
            "[]DescribedGroup",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "6+", nullable="6+", default=None),
                Field("groupId", "string", "0+", entity="groupId"),
                Field("groupState", "string", "0+"),
                Field("protocolType", "string", "0+"),
                Field("protocolData", "string", "0+"),
                Field(
                    "members",
                    "[]DescribedGroupMember",
                    "0+",
                    fields=(
                        Field("memberId", "string", "0+"),
                        Field("groupInstanceId", "string", "4+", nullable="4+", default=None),
                        Field("clientId", "string", "0+"),
                        Field("clientHost", "string", "0+"),
                        Field("memberMetadata", "bytes", "0+"),
                        Field("memberAssignment", "bytes", "0+"),
                    ),
                ),
                Field("authorizedOperations", "int32", "3+", default=-2147483648),
            ),
        ),
    ),
)
