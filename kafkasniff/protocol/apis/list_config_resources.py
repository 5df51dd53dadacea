"""ListConfigResources (API key 74), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ListConfigResourcesRequest", versions="0-1", flexible="0+", fields=(Field("resourceTypes", "[]int8", "1+"),)
)

RESPONSE = Message(
    "ListConfigResourcesResponse",
    versions="0-1",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field(
            "configResources",
            "[]ConfigResource",
            "0+",
            fields=(
                Field("resourceName", "string", "0+"),
                Field("resourceType", "int8", "1+", default=16),
            ),
        ),
    ),
)
