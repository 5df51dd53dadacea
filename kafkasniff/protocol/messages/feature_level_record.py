"""FeatureLevelRecord in __cluster_metadata, versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "FeatureLevelRecord",
    versions="0",
    flexible="0+",
    fields=(
        Field("name", "string", "0+"),
        Field("featureLevel", "int16", "0+"),
    ),
)
