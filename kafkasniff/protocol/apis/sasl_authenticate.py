"""SaslAuthenticate (API key 36), versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message("SaslAuthenticateRequest", versions="0-2", flexible="2+", fields=(Field("authBytes", "bytes", "0+"),))

RESPONSE = Message(
    "SaslAuthenticateResponse",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field("errorMessage", "string", "0+", nullable="0+"),
        Field("authBytes", "bytes", "0+"),
        Field("sessionLifetimeMs", "int64", "1+", default=0),
    ),
)
