"""UpdateFeatures (API key 57), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "UpdateFeaturesRequest",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("timeoutMs", "int32", "0+", default=60000),
        Field(
            "featureUpdates",
            "[]FeatureUpdateKey",
            "0+",
            fields=(
                Field("feature", "string", "0+", map_key=True),
                Field("maxVersionLevel", "int16", "0+"),
                Field("allowDowngrade", "bool", "0"),
                Field("upgradeType", "int8", "1+", default=1),
            ),
        ),
        Field("validateOnly", "bool", "1+", default=False),
    ),
)

RESPONSE = Message(
    "UpdateFeaturesResponse",
    versions="0-2",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
        Field(
            "results",
            "[]UpdatableFeatureResult",
            "0-1",
            fields=(
                Field("feature", "string", "0-1", map_key=True),
                Field("errorCode", "int16", "0-1"),
                Field("errorMessage", "string", "0-1", nullable="0-1"),
            ),
        ),
    ),
)
