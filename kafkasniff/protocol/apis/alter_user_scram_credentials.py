"""AlterUserScramCredentials (API key 51), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "AlterUserScramCredentialsRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field(
            "deletions",
            "[]ScramCredentialDeletion",
            "0+",
            fields=(
                Field("name", "string", "0+"),
                Field("mechanism", "int8", "0+"),
            ),
        ),
        Field(
            "upsertions",
            "[]ScramCredentialUpsertion",
            "0+",
            fields=(
                Field("name", "string", "0+"),
                Field("mechanism", "int8", "0+"),
                Field("iterations", "int32", "0+"),
                Field("salt", "bytes", "0+"),
                Field("saltedPassword", "bytes", "0+"),
            ),
        ),
    ),
)

RESPONSE = Message(
    "AlterUserScramCredentialsResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("throttleTimeMs", "int32", "0+"),
        Field(
            "results",
            "[]AlterUserScramCredentialsResult",
            "0+",
            fields=(
                Field("user", "string", "0+"),
                Field("errorCode", "int16", "0+"),
                Field("errorMessage", "string", "0+", nullable="0+"),
            ),
        ),
    ),
)
