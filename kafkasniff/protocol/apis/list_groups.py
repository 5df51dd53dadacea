"""ListGroups (API key 16), versions 0-5.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ListGroupsRequest",
    versions="0-5",
    flexible="3+",
    fields=(
        Field("statesFilter", "[]string", "4+"),
        Field("typesFilter", "[]string", "5+"),
    ),
)

RESPONSE = Message(
    "ListGroupsResponse",
    versions="0-5",
    flexible="3+",
    fields=(
        Field("throttleTimeMs", "int32", "1+"),
        Field("errorCode", "int16", "0+"),
        Field(
            "groups",
            "[]ListedGroup",
            "0+",
            fields=(
                Field("groupId", "string", "0+", entity="groupId"),
                Field("protocolType", "string", "0+"),
                Field("groupState", "string", "4+"),
                Field("groupType", "string", "5+"),
            ),
        ),
    ),
)
