"""GetTelemetrySubscriptions (API key 71), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "GetTelemetrySubscriptionsRequest", versions="0", flexible="0+", fields=(Field("clientInstanceId", "uuid", "0+"),)
)

RESPONSE = Message(
    "GetTelemetrySubscriptionsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("clientInstanceId", "uuid", "0+"),
        Field("subscriptionId", "int32", "0+"),
        Field("acceptedCompressionTypes", "[]int8", "0+"),
        Field("pushIntervalMs", "int32", "0+"),
        Field("telemetryMaxBytes", "int32", "0+"),
        Field("deltaTemporality", "bool", "0+"),
        Field("requestedMetrics", "[]string", "0+"),
    ),
)
