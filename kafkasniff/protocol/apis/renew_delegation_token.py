"""RenewDelegationToken (API key 39), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "RenewDelegationTokenRequest",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("hmac", "bytes", "0+"),
        Field("renewPeriodMs", "int64", "0+"),
    ),
)

RESPONSE = Message(
    "RenewDelegationTokenResponse",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field("expiryTimestampMs", "int64", "0+"),
        Field("throttleTimeMs", "int32", "0+"),
    ),
)
