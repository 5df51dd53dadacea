"""ApiVersions (API key 18), versions 0-5.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ApiVersionsRequest",
    versions="0-5",
    flexible="3+",
    fields=(
        Field("clientSoftwareName", "string", "3+"),
        Field("clientSoftwareVersion", "string", "3+"),
        Field("clusterId", "string", "5+", nullable="5+", default=None),
        Field("nodeId", "int32", "5+", default=-1),
    ),
)

RESPONSE = Message(
    "ApiVersionsResponse",
    versions="0-5",
    flexible="3+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field(
            "apiKeys",
            "[]ApiVersion",
            "0+",
            fields=(
                Field("apiKey", "int16", "0+", map_key=True),
                Field("minVersion", "int16", "0+"),
                Field("maxVersion", "int16", "0+"),
            ),
        ),
        Field("throttleTimeMs", "int32", "1+"),
        Field(
            "supportedFeatures",
            "[]SupportedFeatureKey",
            "3+",
            tagged="3+",
            tag=0,
            fields=(
                Field("name", "string", "3+", map_key=True),
                Field("minVersion", "int16", "3+"),
                Field("maxVersion", "int16", "3+"),
            ),
        ),
        Field("finalizedFeaturesEpoch", "int64", "3+", tagged="3+", tag=1, default=-1),
        Field(
            "finalizedFeatures",
            "[]FinalizedFeatureKey",
            "3+",
            tagged="3+",
            tag=2,
            fields=(
                Field("name", "string", "3+", map_key=True),
                Field("maxVersionLevel", "int16", "3+"),
                Field("minVersionLevel", "int16", "3+"),
            ),
        ),
        Field("zkMigrationReady", "bool", "3+", tagged="3+", tag=3, default=False),
    ),
)
