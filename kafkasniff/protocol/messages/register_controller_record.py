"""RegisterControllerRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "RegisterControllerRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("controllerId", "int32", "0+"),
        Field("incarnationId", "uuid", "0+"),
        Field("zkMigrationReady", "bool", "0+"),
        Field(
            "endPoints",
            "[]ControllerEndpoint",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True),
                Field("host", "string", "0+"),
                Field("port", "uint16", "0+"),
                Field("securityProtocol", "int16", "0+"),
            ),
        ),
        Field(
            "features",
            "[]ControllerFeature",
            "0+",
            fields=(
                Field("name", "string", "0+", map_key=True),
                Field("minSupportedVersion", "int16", "0+"),
                Field("maxSupportedVersion", "int16", "0+"),
            ),
        ),
    ),
)
