"""SaslHandshake (API key 17), versions 0-1.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message("SaslHandshakeRequest", versions="0-1", flexible="none", fields=(Field("mechanism", "string", "0+"),))

RESPONSE = Message(
    "SaslHandshakeResponse",
    versions="0-1",
    flexible="none",
    fields=(
        Field("errorCode", "int16", "0+"),
        Field("mechanisms", "[]string", "0+"),
    ),
)
