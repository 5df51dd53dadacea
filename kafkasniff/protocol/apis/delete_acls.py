"""DeleteAcls (API key 31), versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DeleteAclsRequest",
    versions="0-3",
    flexible="2+",
    fields=(
        Field(
            "filters",
            "[]DeleteAclsFilter",
            "0+",
            fields=(
                Field("resourceTypeFilter", "int8", "0+"),
                Field("resourceNameFilter", "string", "0+", nullable="0+"),
                Field("patternTypeFilter", "int8", "1+", default=3),
                Field("principalFilter", "string", "0+", nullable="0+"),
                Field("hostFilter", "string", "0+", nullable="0+"),
                Field("operation", "int8", "0+"),
                Field("permissionType", "int8", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "DeleteAclsResponse",
    versions="0-3",
    flexible="2+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "filterResults",
            "[]DeleteAclsFilterResult",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+"),
                Field(
                    "matchingAcls",
                    "[]DeleteAclsMatchingAcl",
                    "0+",
                    fields=(
                        Field("errorCode", "int16", "0+"),
                        Field("errorMessage", "string", "0+", nullable="0+"),
                        Field("resourceType", "int8", "0+"),
                        Field("resourceName", "string", "0+"),
                        Field("patternType", "int8", "1+", default=3),
                        Field("principal", "string", "0+"),
                        Field("host", "string", "0+"),
                        Field("operation", "int8", "0+"),
                        Field("permissionType", "int8", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
