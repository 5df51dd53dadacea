"""DescribeClientQuotas (API key 48), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeClientQuotasRequest",
    versions="0-1",
    flexible="1+",
    fields=(
        Field(
            "components",
            "[]ComponentData",
            "0+",
            fields=(
                Field("entityType", "string", "0+"),
                Field("matchType", "int8", "0+"),
                Field("match", "string", "0+", nullable="0+"),
            ),
        ),
        Field("strict", "bool", "0+"),
    ),
)

RESPONSE = Message(
    "DescribeClientQuotasResponse",
    versions="0-1",
    flexible="1+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
        Field(
            "entries",
            "[]EntryData",
            "0+",
            nullable="0+",
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
                    "values",
                    "[]ValueData",
                    "0+",
                    fields=(
                        Field("key", "string", "0+"),
                        Field("value", "float64", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
