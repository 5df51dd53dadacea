"""CreateAcls (API key 30), versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "CreateAclsRequest",
    versions="0-3",
    flexible="2+",
    fields=(
        Field(
            "creations",
            "[]AclCreation",
            "0+",
            fields=(
                Field("resourceType", "int8", "0+"),
                Field("resourceName", "string", "0+"),
                Field("resourcePatternType", "int8", "1+", default=3),
                Field("principal", "string", "0+"),
                Field("host", "string", "0+"),
                Field("operation", "int8", "0+"),
                Field("permissionType", "int8", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "CreateAclsResponse",
    versions="0-3",
    flexible="2+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "results",
            "[]AclCreationResult",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+"),
            ),
        ),
    ),
)
