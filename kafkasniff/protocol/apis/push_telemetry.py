"""PushTelemetry (API key 72), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "PushTelemetryRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("clientInstanceId", "uuid", "0+"),
        Field("subscriptionId", "int32", "0+"),
        Field("terminating", "bool", "0+"),
        Field("compressionType", "int8", "0+"),
        Field("metrics", "bytes", "0+"),
    ),
)

RESPONSE = Message(
    "PushTelemetryResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
    ),
)
