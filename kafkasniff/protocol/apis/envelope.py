"""Envelope (API key 58), versions 0.

Written by tools/import_definitions.py.
"""

from kafkasniff.protocol.fields import Field, Message

REQUEST = Message(
    "EnvelopeRequest",
    versions="0",
    flexible="0+",
    fields=(
        Field("requestData", "bytes", "0+"),
        Field("requestPrincipal", "bytes", "0+", nullable="0+"),
        Field("clientHostAddress", "bytes", "0+"),
    ),
)

RESPONSE = Message(
    "EnvelopeResponse",
    versions="0",
    flexible="0+",
    fields=(
        Field("responseData", "bytes", "0+", nullable="0+", default=None),
        Field("errorCode", "int16", "0+"),
    ),
)
