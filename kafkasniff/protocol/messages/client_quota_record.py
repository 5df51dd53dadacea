"""ClientQuotaRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "ClientQuotaRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "entity",
            "[]EntityData",
            "0+",
            fields=(
                Field("entityType", "string", "0+"),
                Field("entityName", "string", "0+", nullable="0+"),
            ),
        ),
        Field("key", "string", "0+"),
        Field("value", "float64", "0+"),
        Field("remove", "bool", "0+"),
    ),
)
