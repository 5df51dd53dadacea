"""AlterClientQuotas (API key 49), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AlterClientQuotasRequest",
    versions="0-1",
    flexible="1+",
    fields=(
        Field(
            "entries",
            "[]EntryData",
            "0+",
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
                Field(
                    "ops",
                    "[]OpData",
                    "0+",
                    fields=(
                        Field("key", "string", "0+"),
                        Field("value", "float64", "0+"),
                        Field("remove", "bool", "0+"),
                    ),
                ),
            ),
        ),
        Field("validateOnly", "bool", "0+"),
    ),
)

RESPONSE = Message(
    "AlterClientQuotasResponse",
    versions="0-1",
    flexible="1+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "entries",
            "[]EntryData",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+"),
                Field(
                    "entity",
                    "[]EntityData",
                    "0+",
                    fields=(
                        Field("entityType", "string", "0+"),
                        Field("entityName", "string", "0+", nullable="0+"),
                    ),
                ),
            ),
        ),
    ),
)
