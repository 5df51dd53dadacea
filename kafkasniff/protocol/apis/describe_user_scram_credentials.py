"""DescribeUserScramCredentials (API key 50), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "DescribeUserScramCredentialsRequest",
    versions="0",
    flexible="0+",
    fields=(Field("users", "[]UserName", "0+", nullable="0+", fields=(Field("name", "string", "0+"),)),),
)

RESPONSE = Message(
    "DescribeUserScramCredentialsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
        Field(
            "results",
            "[]DescribeUserScramCredentialsResult",
            "0+",
            fields=(
                Field("user", "string", "0+"),
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+"),
                Field(
                    "credentialInfos",
                    "[]CredentialInfo",
                    "0+",
                    fields=(
                        Field("mechanism", "int8", "0+"),
                        Field("iterations", "int32", "0+"),
                    ),
                ),
            ),
        ),
    ),
)
