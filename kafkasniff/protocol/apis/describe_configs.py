"""DescribeConfigs (API key 32), versions 0-4.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeConfigsRequest",
    versions="0-4",
    flexible="4+",
    fields=(
        Field(
            "resources",
            "[]DescribeConfigsResource",
            "0+",
            fields=(
                Field("resourceType", "int8", "0+"),
                Field("resourceName", "string", "0+"),
                Field("configurationKeys", "[]string", "0+", nullable="0+"),
            ),
        ),
        Field("includeSynonyms", "bool", "1+", default=False),
        Field("includeDocumentation", "bool", "3+", default=False),
    ),
)

RESPONSE = Message(
    "DescribeConfigsResponse",
    versions="0-4",
    flexible="4+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "results",
            "[]DescribeConfigsResult",
            "0+",
            fields=(
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+"),
                Field("resourceType", "int8", "0+"),
                Field("resourceName", "string", "0+"),
                Field(
                    "configs",
                    "[]DescribeConfigsResourceResult",
                    "0+",
                    fields=(
                        Field("name", "string", "0+"),
                        Field("value", "string", "0+", nullable="0+"),
                        Field("readOnly", "bool", "0+"),
                        Field("isDefault", "bool", "0"),
                        Field("configSource", "int8", "1+", default=-1),
                        Field("isSensitive", "bool", "0+"),
                        Field(
                            "synonyms",
                            "[]DescribeConfigsSynonym",
                            "1+",
                            fields=(
                                Field("name", "string", "1+"),
                                Field("value", "string", "1+", nullable="1+"),
                                Field("source", "int8", "1+"),
                            ),
                        ),
                        Field("configType", "int8", "3+", default=0),
                        Field("documentation", "string", "3+", nullable="3+"),
                    ),
                ),
            ),
        ),
    ),
)
