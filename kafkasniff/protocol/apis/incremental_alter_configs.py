"""IncrementalAlterConfigs (API key 44), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "IncrementalAlterConfigsRequest",
    versions="0-1",
    flexible="1+",
    fields=(
        Field(
            "resources",
            "[]AlterConfigsResource",
            "0+",
            fields=(
                Field("resourceType", "int8", "0+", map_key=True),
                Field("resourceName", "string", "0+", map_key=True),
                Field(
                    "configs",
                    "[]AlterableConfig",
                    "0+",
                    fields=(
                        Field("name", "string", "0+", map_key=True),
                        Field("configOperation", "int8", "0+", map_key=True),
                        Field("value", "string", "0+", nullable="0+"),
                    ),
                ),
            ),
        ),
        Field("validateOnly", "bool", "0+"),
    ),
)

RESPONSE = Message(
    "IncrementalAlterConfigsResponse",
    versions="0-1",
    flexible="1+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "responses",
            "[]AlterConfigsResourceResponse",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+"),
                Field("resourceType", "int8", "0+"),
                Field("resourceName", "string", "0+"),
            ),
        ),
    ),
)
