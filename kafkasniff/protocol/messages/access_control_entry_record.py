"""AccessControlEntryRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "AccessControlEntryRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("id", "uuid", "0+"),
        Field("resourceType", "int8", "0+"),
        Field("resourceName", "string", "0+"),
        Field("patternType", "int8", "0+"),
        Field("principal", "string", "0+"),
        Field("host", "string", "0+"),
        Field("operation", "int8", "0+"),
        Field("permissionType", "int8", "0+"),
    ),
)
