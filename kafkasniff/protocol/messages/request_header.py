"""RequestHeader, versions 0-2.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

MESSAGE = Message(
    "RequestHeader",
    versions="0-2",
    flexible="2+",
    fields=(
        Field("requestApiKey", "int16", "0+"),
        Field("requestApiVersion", "int16", "0+"),
        Field("correlationId", "int32", "0+"),
        Field("clientId", "string", "1+", nullable="1+", flexible="none"),
    ),
)
