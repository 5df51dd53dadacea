"""ConfigRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ConfigRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("resourceType", "int8", "0+"),
        Field("resourceName", "string", "0+"),
        Field("name", "string", "0+"),
        Field("value", "string", "0+", nullable="0+"),
    ),
)
