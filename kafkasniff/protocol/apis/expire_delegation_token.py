"""ExpireDelegationToken (API key 40), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "ExpireDelegationTokenRequest",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("hmac", "bytes", "0+"),
        Field("expiryTimePeriodMs", "int64", "0+"),
    ),
)

RESPONSE = Message(
    "ExpireDelegationTokenResponse",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field("expiryTimestampMs", "int64", "0+"),
        Field("throttleTimeMs", "int32", "0+"),
    ),
)
