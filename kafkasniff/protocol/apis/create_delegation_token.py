"""CreateDelegationToken (API key 38), versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "CreateDelegationTokenRequest",
    versions="0-3",
    flexible="2+",
    fields=(
        Field("ownerPrincipalType", "string", "3+", nullable="3+"),
        Field("ownerPrincipalName", "string", "3+", nullable="3+"),
        Field(
            "renewers",
            "[]CreatableRenewers",
            "0+",
            fields=(
                Field("principalType", "string", "0+"),
                Field("principalName", "string", "0+"),
            ),
        ),
        Field("maxLifetimeMs", "int64", "0+"),
    ),
)

RESPONSE = Message(
    "CreateDelegationTokenResponse",
    versions="0-3",
    flexible="2+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field("principalType", "string", "0+"),
        Field("principalName", "string", "0+"),
        Field("tokenRequesterPrincipalType", "string", "3+"),
        Field("tokenRequesterPrincipalName", "string", "3+"),
        Field("issueTimestampMs", "int64", "0+"),
        Field("expiryTimestampMs", "int64", "0+"),
        Field("maxTimestampMs", "int64", "0+"),
        Field("tokenId", "string", "0+"),
        Field("hmac", "bytes", "0+"),
        Field("throttleTimeMs", "int32", "0+"),
    ),
)
