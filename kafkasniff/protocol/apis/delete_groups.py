"""DeleteGroups (API key 42), versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DeleteGroupsRequest",
    versions="0-3",
    flexible="2+",
    fields=(Field("groupsNames", "[]string", "0+", entity="groupId"),),
)

RESPONSE = Message(
    "DeleteGroupsResponse",
    versions="0-3",
    flexible="2+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "results",
            "[]DeletableGroupResult",
            "0+",
            fields=(
                Field("groupId", "string", "0+", map_key=True, entity="groupId"),
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "3+", nullable="3+", default=None),
            ),
        ),
    ),
)
