"""DescribeDelegationToken (API key 41), versions 0-3.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeDelegationTokenRequest",
    versions="0-3",
    flexible="2+",
    fields=(
        Field(
            "owners",
            "[]DescribeDelegationTokenOwner",
            "0+",
            nullable="0+",
            fields=(
                Field("principalType", "string", "0+"),
                Field("principalName", "string", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "DescribeDelegationTokenResponse",
    versions="0-3",
    flexible="2+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field(
            "tokens",
            "[]DescribedDelegationToken",
            "0+",
            fields=(
                Field("principalType", "string", "0+"),
                Field("principalName", "string", "0+"),
                Field("tokenRequesterPrincipalType", "string", "3+"),
                Field("tokenRequesterPrincipalName", "string", "3+"),
                Field("issueTimestamp", "int64", "0+"),
                Field("expiryTimestamp", "int64", "0+"),
                Field("maxTimestamp", "int64", "0+"),
                Field("tokenId", "string", "0+"),
                Field("hmac", "bytes", "0+"),
                Field(
                    "renewers",
                    "[]DescribedDelegationTokenRenewer",
                    "0+",
                    fields=(
                        Field("principalType", "string", "0+"),
                        Field("principalName", "string", "0+"),
                    ),
                ),
            ),
        ),
        Field("throttleTimeMs", "int32", "0+"),
    ),
)
